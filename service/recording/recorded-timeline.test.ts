import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { live, local, recordings } from '../../contract/operations/index.ts'
import { RtmpTestClient } from '../ingest/testing/rtmp-test-client.ts'
import {
  decodeFaults,
  encodeFixture,
  requireEncoder,
  fixturePackets,
  probePackets,
  temporaryFolder,
} from '../hub/testing/fixture.ts'
import type { MediaPacket } from '../timeline/packet.ts'
import { rtmpType } from '../media/rtmp-message.ts'
import { until } from '../testing/condition.ts'
import { startService, type TestService } from '../testing/start-service.ts'

await requireEncoder()
const folder = temporaryFolder()
afterAll(() => folder.remove())
let packets: MediaPacket[]
let service: TestService

const length = 6000
const publish = async (pushUrl: string): Promise<{ readonly client: RtmpTestClient; readonly answer: string }> => {
  const url = new URL(pushUrl)
  const client = await RtmpTestClient.open(Number(url.port))
  await client.connect()
  return { client, answer: await client.ask('publish', url.pathname.replace('/live/', '') + url.search) }
}

describe('a recorded push over RTMP', () => {
  beforeAll(async () => {
    packets = fixturePackets(
      await encodeFixture(folder.path, 'timeline', { duration: length / 1000, gop: 30, bFrames: 0 }),
    )
  })
  beforeEach(async () => {
    service = await startService()
  })
  afterEach(() => service.close())

  it.each([
    ['a wrap of its 32-bit times', 2 ** 32 - length / 2, 0],
    ['a jump of 10 h', 1000, 36_000_000],
    ['a jump of 149 h', 1000, 536_400_000],
    ['a jump backwards', 90_000_000, -80_000_000],
  ])('has its real length after %s', async (_what, first, jump) => {
    const { cid, pushUrl } = (await service.call(live.create, { name: 'a' })).ret!
    await service.call(recordings.setAlwaysRecord, { cid, needRecord: 1, format: 0 })
    const { client, answer } = await publish(pushUrl)
    expect(answer).toBe('NetStream.Publish.Start')
    let jumped = false
    for (const { kind, timestamp, body, configuration } of packets) {
      if (timestamp >= length / 2 && !jumped) {
        jumped = true
        // An encoder does not send its next frame in the same millisecond.
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      const time = configuration ? first : first + timestamp + (timestamp >= length / 2 ? jump : 0)
      client.send(rtmpType[kind], time % 2 ** 32, body)
    }
    client.command('deleteStream', 4, null, 1)
    const files = await until('the file', async () => {
      const { list } = (await service.call(local.recordedFiles, { cid, beginTime: 0, endTime: Date.now() + 60_000 }))
        .ret!
      return list.length > 0 ? list : undefined
    })
    expect(files).toHaveLength(1)
    // The gap at a jump is the time elapsed on this machine, at most 10 s.
    expect(files[0]!.duration).toBeGreaterThan(length - 200)
    expect(files[0]!.duration).toBeLessThan(length + 10_000)
    const path = join(service.dataDir, 'recordings', cid, `${files[0]!.vid}.mp4`)
    expect(await decodeFaults(path)).toBe('')
    expect((await probePackets(path)).filter(({ codec_type: kind }) => kind === 'video')).toHaveLength(
      (length / 1000) * 30,
    )
    client.close()
  })

  it('that is not admitted leaves nothing on the disk', async () => {
    const { cid, pushUrl } = (await service.call(live.create, { name: 'a' })).ret!
    await service.call(recordings.setAlwaysRecord, { cid, needRecord: 1, format: 0 })
    const secret = new URL(pushUrl).searchParams.get('wsSecret')!
    for (const wrong of [
      pushUrl.split('?')[0]!,
      pushUrl.replace(secret, '0'.repeat(32)),
      pushUrl.replace(cid, `..%2f${cid}`),
      pushUrl.replace(cid, 'CON'),
    ]) {
      const { client, answer } = await publish(wrong)
      expect(answer).not.toBe('NetStream.Publish.Start')
      client.close()
    }
    expect((await service.call(live.state, { cid })).ret!.status).toBe(0)
    const place = join(service.dataDir, 'recordings')
    expect(existsSync(place) ? readdirSync(place) : []).toEqual([])
  })
})
