import { systemClock } from '../../platform/clock.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { live, local } from '../../contract/operations/index.ts'
import { readMediaPlaylist } from '../media/testing/hls-playlist-reader.ts'
import type { EventReader } from '../testing/event-reader.ts'
import { eventually } from '../testing/eventually.ts'
import { startPublisher, type Publisher } from '../testing/publisher.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import { encodeFixture, temporaryFolder } from '../hub/testing/fixture.ts'

const hour = 3_600_000
/** A real push of video only, while the computer's clock is set. */
describe('while the clock of the computer is set by hours, back and forth', () => {
  let set = 0
  let service: TestService
  let folder: ReturnType<typeof temporaryFolder>
  let publisher: Publisher
  let events: EventReader
  let cid = ''
  const media = (path: string, init?: RequestInit) => fetch(`${service.service.ready.mediaUrl}/live/${path}`, init)
  const status = async () => (await service.call(live.state, { cid })).ret?.status

  beforeAll(async () => {
    folder = temporaryFolder()
    const file = await encodeFixture(folder.path, 'picture', { duration: 4, gop: 30, audio: false, bFrames: 0 })
    service = await startService({ clock: { ...systemClock, now: () => Date.now() + set } })
    const made = (await service.call(live.create, { name: 'Clock' })).ret!
    cid = made.cid
    events = await service.events()
    publisher = startPublisher(made.pushUrl, file)
    await events.next('push', ({ kind }) => kind === 'firstKeyFrame')
  })
  afterAll(async () => {
    await publisher?.stop()
    events?.close()
    await service?.close()
    folder?.remove()
  })

  it.each([-hour, 2 * hour, -24 * hour, 0])(
    'by %i ms: the push stays on air, and is watched by HTTP-FLV and HLS at once',
    { timeout: 60_000 },
    async (by) => {
      const before = service.sign()
      const moved = Math.abs(by - set) > 300_000
      set = by
      expect(await status()).toBe(1)
      // Video alone waits two seconds for audio, whatever the clock says.
      const end = new AbortController()
      const answer = await media(`${cid}.flv`, { signal: end.signal })
      const first = await answer.body!.getReader().read()
      expect(Buffer.from(first.value!).toString('latin1', 0, 3)).toBe('FLV')
      end.abort()
      await eventually(async () => {
        const playlist = readMediaPlaylist(await (await media(`${cid}/playlist.m3u8`)).text())
        expect(playlist.ended).toBe(false)
        expect(playlist.segments.length).toBeGreaterThan(0)
      })
      await eventually(async () =>
        expect((await service.call(local.channelDetails, { cidList: [cid] })).ret?.list[0]?.viewers).toBe(1),
      )
      // The old time is refused with the difference; the right one is accepted.
      const refused = await service.raw(live.list.path, { headers: Object.entries(before), body: '{}' })
      expect(JSON.parse(refused.text)).toMatchObject(
        moved ? { code: 409, msg: expect.stringMatching(/^CurTime is off by \d+ s/) as string } : { code: 200 },
      )
      expect((await service.call(live.list, {})).code).toBe(200)
      expect(events.events.some((event) => event.type === 'push' && event.kind === 'ended')).toBe(false)
    },
  )

  it('and then the encoder is killed: the channel is idle at once', async () => {
    set = -hour
    await publisher.stop()
    await events.next('push', ({ kind }) => kind === 'ended')
    expect(await status()).toBe(0)
  })
})
