import { expect, it } from 'vitest'
import { live } from '../contract/operations/index.ts'
import { createBoundedLog, sentenceRate } from './bounded-log.ts'
import { RtmpTestClient } from './ingest/testing/rtmp-test-client.ts'
import type { Log } from './log.ts'
import { startService } from './testing/start-service.ts'

interface Line {
  readonly level: string
  readonly fields: object
  readonly sentence: string
}
function kept(): { readonly log: Log; readonly lines: Line[] } {
  const lines: Line[] = []
  const level = (name: string) => (fields: object, sentence: string) =>
    void lines.push({ level: name, fields, sentence })
  return { lines, log: { debug: level('debug'), info: level('info'), warn: level('warn'), error: level('error') } }
}

it('bounds each sentence by itself and says how many lines were left out', () => {
  let now = 0
  const { log, lines } = kept()
  const bounded = createBoundedLog(log, { monotonic: () => now })
  for (let each = 0; each < 10_000; each++) bounded.info({ each }, 'often')
  bounded.warn({ err: 1 }, 'once')
  expect(lines).toHaveLength(sentenceRate.atOnce + 1)
  expect(lines[0]).toEqual({ level: 'info', fields: { each: 0 }, sentence: 'often' })
  expect(lines.at(-1)).toEqual({ level: 'warn', fields: { err: 1 }, sentence: 'once' })
  now += 1000
  bounded.error({ each: 1 }, 'often')
  expect(lines.at(-1)).toEqual({
    level: 'error',
    fields: { each: 1, leftOut: 10_000 - sentenceRate.atOnce },
    sentence: 'often',
  })
})

it('bounds sentences that are all different, too', () => {
  const { log, lines } = kept()
  const bounded = createBoundedLog(log, { monotonic: () => 0 })
  for (let each = 0; each < 10_000; each++) bounded.info({}, `sentence ${each}`)
  expect(lines.length).toBeLessThan(1000)
})

it('bounds what encoders make a service write that publish and leave as fast as they can', async () => {
  const { log, lines } = kept()
  const service = await startService({ log })
  const port = Number(new URL(service.service.ready.rtmpUrl).port)
  const turns = 19
  const cycles = async (name: string): Promise<number> => {
    const { pushUrl } = (await service.call(live.create, { name })).ret!
    const client = await RtmpTestClient.open(port)
    await client.connect()
    for (let turn = 0; turn < turns; turn++) {
      client.command('publish', 3, null, pushUrl.slice(pushUrl.lastIndexOf('/') + 1), 'live')
      client.command('deleteStream', 4, null, 1)
      client.command('createStream', 5, null)
    }
    const begun = (): number => client.statuses().filter(({ code }) => code === 'NetStream.Publish.Start').length
    await client.until(() => begun() === turns)
    client.close()
    return begun()
  }
  try {
    let begun = 0
    for (let channel = 0; channel < 20; channel++) begun += await cycles(`encoder${channel}`)
    const written = lines.filter(({ sentence }) => sentence === 'a push began').length
    expect(written).toBeGreaterThanOrEqual(sentenceRate.atOnce)
    expect(written).toBeLessThan(begun)
  } finally {
    await service.close()
  }
})

it('bounds 500 sentences each by itself, and all others together', () => {
  const { log, lines } = kept()
  const bounded = createBoundedLog(log, { monotonic: () => 0 })
  for (let each = 0; each < 500; each++) bounded.info({}, `sentence ${each}`)
  expect(lines).toHaveLength(500)
  for (let each = 0; each < sentenceRate.atOnce + 10; each++) bounded.info({}, `other ${each}`)
  expect(lines).toHaveLength(500 + sentenceRate.atOnce)
  bounded.info({}, 'sentence 499')
  expect(lines.at(-1)?.sentence).toBe('sentence 499')
})

it('lets 300 lines of a sentence through at once, 10 a second, and every line for debugging', () => {
  let now = 0
  const { log, lines } = kept()
  const bounded = createBoundedLog(log, { monotonic: () => now })
  for (let each = 0; each < 301; each++) bounded.warn({}, 'often')
  expect(lines).toHaveLength(300)
  now += 1000
  for (let each = 0; each < 20; each++) bounded.warn({}, 'often')
  expect(lines).toHaveLength(310)
  for (let each = 0; each < 1000; each++) bounded.debug({}, 'often')
  expect(lines).toHaveLength(1310)
})
