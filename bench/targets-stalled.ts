import { parseArgs } from 'node:util'
import { startFaultyServer } from '../service/targets/testing/faulty-server.ts'
import { startOurs } from './fanout-servers.ts'
import { pause, percentile } from './measurement.ts'
import { publish, sentAt } from './stamped-stream.ts'

/**
 * How much later frames reach a target when another one of the same channel takes the connection and reads nothing.
 * Each frame carries the time at which it was sent. Publisher and targets' servers are this process, the service is
 * its own. `node bench/targets-stalled.ts [--seconds 20]`
 */
const { values } = parseArgs({ options: { seconds: { type: 'string', default: '20' } } })
const reach = 100
/** Connections, and the GOP that each begins with; ms. */
const settle = 3000

/** Ages in ms of frames at a target beside another, which reads nothing when it is stalled. */
async function measure(isStalled: boolean): Promise<{ readonly ages: number[]; readonly unread: number }> {
  const [good, other] = [await startFaultyServer(), await startFaultyServer()]
  if (isStalled) other.fault = 'neverReads'
  const service = await startOurs([], [`${good.url}/good-key`, `${other.url}/other-key`])
  const ages: number[] = []
  let isMeasured = false
  good.onVideo = (body) => {
    const sent = sentAt(body.subarray(-16))
    if (isMeasured && sent !== undefined) ages.push(performance.now() - sent)
  }
  const publisher = await publish(service.pushUrl)
  try {
    await pause(settle)
    isMeasured = true
    await pause(Number(values.seconds) * 1000)
    return { ages, unread: good.media - other.media }
  } finally {
    publisher.stop()
    await service.stop()
    await good.close()
    await other.close()
  }
}

const [alone, beside] = [await measure(false), await measure(true)]
const p95 = ({ ages }: { readonly ages: number[] }): number => Math.round(percentile(ages, 0.95))
const added = p95(beside) - p95(alone)
console.log(
  JSON.stringify({
    bench: 'targets-stalled',
    frames: [alone.ages.length, beside.ages.length],
    unread: beside.unread,
    alone: p95(alone),
    beside: p95(beside),
    added,
    reach,
    reached: beside.ages.length > 0 && added <= reach,
  }),
)
