import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { live, local, recordings } from '../../contract/operations/index.ts'
import type { MediaPacket } from '../timeline/packet.ts'
import { RtmpTestClient } from '../ingest/testing/rtmp-test-client.ts'
import { encodeFixture, requireEncoder, fixturePackets, probePackets, temporaryFolder } from '../hub/testing/fixture.ts'
import { readMediaPlaylist } from '../media/testing/hls-playlist-reader.ts'
import { rtmpType } from '../media/rtmp-message.ts'
import { until } from '../testing/condition.ts'
import { startService, type TestService } from '../testing/start-service.ts'

await requireEncoder()
const folder = temporaryFolder()
afterAll(() => folder.remove())
let packets: MediaPacket[]
let service: TestService

const length = 8000

/** Encoders with unsteady timestamps, pushed in real time over RTMP; recordings are measured by ffprobe. */
describe('a push in real time', () => {
  beforeAll(async () => {
    packets = fixturePackets(
      await encodeFixture(folder.path, 'unsteady', { duration: length / 1000, gop: 30, bFrames: 0, size: '160x90' }),
    )
  })
  beforeEach(async () => {
    service = await startService()
  })
  afterEach(() => service.close())

  it.each<[string, string, (kind: MediaPacket['kind'], made: number) => number]>([
    ['whose sound and picture are 3 s apart', 'retimed_apart', (kind, made) => (kind === 'audio' ? made : made + 3000)],
    ['that begins anew every 1.5 s', 'retimed_back', (_, made) => made % 1500],
    ['whose timestamps stand still', 'retimed_still', () => 0],
  ])('%s is recorded in its length, played by HLS, and told of', { timeout: 60_000 }, async (_what, word, stamp) => {
    const { cid, pushUrl } = (await service.call(live.create, { name: 'a' })).ret!
    await service.call(recordings.setAlwaysRecord, { cid, needRecord: 1, format: 0 })
    const events = await service.events()
    const url = new URL(pushUrl)
    const client = await RtmpTestClient.open(Number(url.port))
    await client.connect()
    expect(await client.ask('publish', url.pathname.replace('/live/', '') + url.search)).toBe('NetStream.Publish.Start')
    const begun = performance.now()
    for (const { kind, timestamp, body, configuration } of packets) {
      const wait = timestamp - (performance.now() - begun)
      if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait))
      client.send(rtmpType[kind], configuration ? 0 : stamp(kind, timestamp), body)
    }
    const wall = performance.now() - begun
    const playlist = await until('the HLS playlist', async () => {
      const answer = await fetch(`${service.service.ready.mediaUrl}/live/${cid}/playlist.m3u8`)
      return answer.ok ? readMediaPlaylist(await answer.text()) : undefined
    })
    for (const { duration, programDateTime } of playlist.segments) {
      expect(Math.round(duration / 1000)).toBeLessThanOrEqual(playlist.targetDuration)
      expect(programDateTime).toBeLessThanOrEqual(Date.now())
    }
    // GOPs of a second, plus delays of this machine; timestamps do not count.
    expect(playlist.targetDuration).toBeLessThanOrEqual(6)
    client.command('deleteStream', 4, null, 1)
    const files = await until('the file', async () => {
      const { list } = (await service.call(local.recordedFiles, { cid, beginTime: 0, endTime: Date.now() + 60_000 }))
        .ret!
      return list.length > 0 ? list : undefined
    })
    expect(files).toHaveLength(1)
    expect(events.events.some((event) => event.type === 'push' && event.remedy === word)).toBe(true)
    const probed = await probePackets(join(service.dataDir, 'recordings', cid, `${files[0]!.vid}.mp4`))
    for (const track of ['video', 'audio'] as const) {
      const times = probed
        .filter(({ codec_type }) => codec_type === track)
        .map(({ dts_time }) => Number(dts_time) * 1000)
      expect(times).toEqual(times.toSorted((one, other) => one - other))
      expect(Math.abs(times.at(-1)! - wall)).toBeLessThan(1000)
    }
    expect(Math.abs(files[0]!.duration - wall)).toBeLessThan(1000)
    expect(probed.filter(({ codec_type }) => codec_type === 'video')).toHaveLength((length / 1000) * 30)
    events.close()
    client.close()
  })
})
