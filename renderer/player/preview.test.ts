import { expect, it } from 'vitest'
import { createPreview, type PreviewState } from './preview.ts'
import type { StartTransport, TransportEvents, TransportKind } from './transport.ts'

interface Started {
  kind: TransportKind
  url: string
  events: TransportEvents
  destroyed: boolean
}

/** A preview whose transports, timers and addresses are held by the test. */
function stage() {
  const started: Started[] = []
  const timers: { at: number; action: () => void }[] = []
  const states: PreviewState[] = []
  let opened = 0
  let now = 0
  const stops: number[] = []
  let standing = 0
  let isSilent = false
  const start =
    (kind: TransportKind): StartTransport =>
    (_video, url, events) => {
      const each: Started = { kind, url, events, destroyed: false }
      started.push(each)
      return Promise.resolve({
        figures: () => ({ delay: 1, kbps: 1, fps: 1, dropped: 2, decoded: 90, standing }),
        destroy: () => {
          each.destroyed = true
        },
      })
    }
  const video = { pause: () => undefined, play: () => Promise.resolve() } as unknown as HTMLVideoElement
  const preview = createPreview(
    video,
    {
      open: () => Promise.resolve({ flv: `/media/${++opened}/live.flv`, hls: `/media/${opened}/playlist.m3u8` }),
      transports: { flv: start('flv'), hls: start('hls') },
      after: (milliseconds, action) => {
        const timer = { at: now + milliseconds, action }
        timers.push(timer)
        return () => {
          timers.splice(timers.indexOf(timer), 1)
        }
      },
      now: () => now,
      isSilent: () => isSilent,
    },
    {
      state: (state) => {
        states.push(state)
      },
      stopping: (stood) => {
        stops.push(stood)
      },
      trouble: () => undefined,
    },
  )
  const settle = async (): Promise<void> => {
    for (let n = 0; n < 10; n++) await Promise.resolve()
  }
  return {
    preview,
    started,
    states,
    settle,
    get opened() {
      return opened
    },
    stops,
    /** Lets the picture stand for so many seconds. */
    stand: (seconds: number): void => {
      standing = seconds
    },
    beSilent: (silent: boolean): void => {
      isSilent = silent
    },
    get waiting() {
      return timers.length
    },
    last: () => started.at(-1),
    pass: async (milliseconds: number): Promise<void> => {
      now += milliseconds
      for (const timer of timers.filter((each) => each.at <= now)) {
        timers.splice(timers.indexOf(timer), 1)
        timer.action()
      }
      await settle()
    },
  }
}

it('plays when the channel goes on air and stops when it leaves', async () => {
  const on = stage()
  on.preview.live()
  await on.settle()
  expect(on.last()?.url).toBe('/media/1/live.flv')
  on.last()?.events.playing()
  expect(on.states).toEqual(['opening', 'playing'])
  on.preview.idle()
  expect(on.last()?.destroyed).toBe(true)
  expect(on.states.at(-1)).toBe('off')
  await on.pass(60_000)
  expect(on.started).toHaveLength(1)
})

it('tries again with growing pauses while the tally is live, and asks for new addresses when the old ones are refused', async () => {
  const on = stage()
  on.preview.live()
  await on.settle()
  on.last()?.events.ended('404', 404)
  expect(on.states.at(-1)).toBe('waiting')
  await on.pass(299)
  expect(on.started).toHaveLength(1)
  await on.pass(1)
  expect(on.last()?.url).toBe('/media/2/live.flv')
  on.last()?.events.ended('404', 404)
  await on.pass(300)
  expect(on.started).toHaveLength(2)
  await on.pass(300)
  expect(on.started).toHaveLength(3)
})

it('says how long a picture has stood that is taken away', async () => {
  const on = stage()
  on.preview.live()
  await on.settle()
  on.last()?.events.playing()
  on.stand(9.5)
  on.preview.idle()
  expect(on.stops).toEqual([9.5])
})

it('tells its transports whether the publisher is known to send nothing', async () => {
  const on = stage()
  on.preview.live()
  await on.settle()
  expect(on.last()?.events.isSilent()).toBe(false)
  on.beSilent(true)
  expect(on.last()?.events.isSilent()).toBe(true)
})

it('does not wait when the tally says live again', async () => {
  const on = stage()
  on.preview.live()
  await on.settle()
  for (let n = 0; n < 5; n++) {
    on.last()?.events.ended('lost', null)
    await on.pass(5_000)
  }
  on.last()?.events.ended('lost', null)
  const before = on.started.length
  on.preview.live()
  await on.settle()
  expect(on.started).toHaveLength(before + 1)
})

it('does not listen to a transport that was replaced', async () => {
  const on = stage()
  on.preview.live()
  await on.settle()
  const old = on.last()
  on.preview.use('hls')
  await on.settle()
  expect(old?.destroyed).toBe(true)
  expect(on.last()?.url).toBe('/media/1/playlist.m3u8')
  old?.events.ended('late', null)
  old?.events.playing()
  expect(on.states.at(-1)).toBe('opening')
  expect(on.waiting).toBe(0)
})

it('gives the stream back 5 s after a pause and joins anew on resume', async () => {
  const on = stage()
  on.preview.live()
  await on.settle()
  on.last()?.events.playing()
  on.preview.pause()
  await on.pass(4_999)
  expect(on.last()?.destroyed).toBe(false)
  await on.pass(1)
  expect(on.last()?.destroyed).toBe(true)
  on.preview.live()
  await on.settle()
  expect(on.started).toHaveLength(1)
  on.preview.resume()
  await on.settle()
  expect(on.started).toHaveLength(2)
})

it('leaves nothing running over 500 lives', async () => {
  const on = stage()
  for (let n = 0; n < 500; n++) {
    on.preview.live()
    await on.settle()
    if (n % 2 === 0) on.last()?.events.playing()
    if (n % 3 === 0) on.last()?.events.ended('lost', null)
    on.preview.idle()
  }
  expect(on.started.filter((each) => !each.destroyed)).toHaveLength(0)
  expect(on.waiting).toBe(0)
  expect(on.started).toHaveLength(500)
  on.preview.destroy()
})

it('counts frames over all players of one broadcast, and anew with the next', async () => {
  const { preview, started, settle, pass } = stage()
  const counts = (): unknown => [preview.figures()?.dropped, preview.figures()?.decoded]
  preview.live()
  await settle()
  expect(counts()).toEqual([2, 90])
  started[0]?.events.ended('nothing arrived for 6 s', null)
  await pass(300)
  expect(counts()).toEqual([4, 180])
  preview.idle()
  preview.live()
  await settle()
  expect(counts()).toEqual([2, 90])
})
