import { parseArgs } from 'node:util'
import { readMediaPlaylist } from '../service/media/testing/hls-playlist-reader.ts'
import { startOurs } from './fanout-servers.ts'
import { median, pause, percentile, printTable } from './measurement.ts'
import { publish, readFlv, sentAt } from './stamped-stream.ts'

/**
 * How old a picture is when it reaches a player: every frame carries the time at which it was sent. Publisher to HTTP-FLV reader, join to first
 * key frame, and HLS as the app plays it (4 s behind the newest segment's end) and as RFC 8216 6.3.3 asks by default (three target durations).
 * Publisher and readers are this process, the service is its own. `node bench/latency.ts [--seconds 20] [--joins 20]`
 */
const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '20' }, joins: { type: 'string', default: '20' } },
})
const seconds = Number(values.seconds)
const reach = { flv: 300, join: 500, hls: 7000 }
const appBehind = 4000

/** Ages of frames at one lasting reader, the first second (the GOP cache) left out. */
async function measureFlv(address: string): Promise<number[]> {
  const ages: number[] = []
  const begun = performance.now()
  const socket = readFlv(address, ({ kind, body }) => {
    const sent = kind === 'video' ? sentAt(body.subarray(-16)) : undefined
    if (sent !== undefined && performance.now() - begun > 1000) ages.push(performance.now() - sent)
  })
  await pause(seconds * 1000)
  socket.destroy()
  return ages
}

/** Times from connecting to the first key frame, at odd moments of the GOP. */
async function measureJoins(address: string): Promise<number[]> {
  const times: number[] = []
  for (let index = 0; index < Number(values.joins); index++) {
    const begun = performance.now()
    await new Promise<void>((resolve) => {
      const socket = readFlv(address, ({ kind, body }) => {
        if (kind !== 'video' || body[1] !== 1) return
        socket.destroy()
        resolve()
      })
    })
    times.push(performance.now() - begun)
    await pause(137)
  }
  return times
}

/** Age of the newest picture that the playlist offers, asked for every second. */
async function measureHls(address: string): Promise<{ readonly ages: number[]; readonly target: number }> {
  const ages: number[] = []
  let target = 0
  for (const end = performance.now() + seconds * 1000; performance.now() < end; await pause(1000)) {
    const playlist = readMediaPlaylist(await (await fetch(address)).text())
    target = playlist.targetDuration
    const segment = Buffer.from(await (await fetch(new URL(playlist.segments.at(-1)!.uri, address))).arrayBuffer())
    const sent = sentAt(segment)
    if (sent !== undefined) ages.push(performance.now() - sent)
  }
  return { ages, target }
}

const server = await startOurs()
try {
  const publisher = await publish(server.pushUrl)
  await pause(3000)
  const many = Array.from({ length: 20 }, () => readFlv(server.flvUrl!, () => undefined))
  const [flv, hls] = await Promise.all([measureFlv(server.flvUrl!), measureHls(server.hlsUrl!)])
  for (const socket of many) socket.destroy()
  await pause(200)
  const joins = await measureJoins(server.flvUrl!)
  publisher.stop()
  const rows = [
    { figure: 'publisher to HTTP-FLV reader, 20 others reading', ages: flv, reach: reach.flv },
    { figure: 'join to first key frame', ages: joins, reach: reach.join },
    {
      figure: `HLS as the app plays it, ${appBehind / 1000} s behind the end`,
      ages: hls.ages.map((age) => age + appBehind),
      reach: reach.hls,
    },
    {
      figure: 'HLS three target durations behind the end',
      ages: hls.ages.map((age) => age + hls.target * 3000),
      reach: NaN,
    },
  ]
  printTable(
    rows.map(({ figure, ages, reach }) => ({
      figure,
      n: ages.length,
      'median ms': Math.round(median(ages)),
      'p95 ms': Math.round(percentile(ages, 0.95)),
      'reach ms': Number.isNaN(reach) ? '' : reach,
    })),
  )
  console.log(
    JSON.stringify({
      bench: 'latency',
      result: rows.map(({ figure, ages, reach }) => ({
        figure,
        median: median(ages),
        p95: percentile(ages, 0.95),
        ...(Number.isNaN(reach) ? {} : { reach, reached: median(ages) <= reach }),
      })),
    }),
  )
} finally {
  await server.stop()
}
