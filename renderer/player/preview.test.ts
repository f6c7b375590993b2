import { expect, it } from 'vitest'
import { createPreview, type PreviewState } from './preview.ts'
import type { LoadTransport, TransportEvents, TransportKind } from './transport.ts'

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
  const troubles: (string | null)[] = []
  let address: () => Promise<{ flv: string | null; hls: string | null }> = () =>
    Promise.resolve({ flv: `/media/${++opened}/live.flv`, hls: `/media/${opened}/playlist.m3u8` })
  const asked: string[] = []
  let standing = 0
  let hasAll = false
  let isSilent = false
  let loaded: Promise<unknown> = Promise.resolve()
  const start =
    (kind: TransportKind): LoadTransport =>
    async () => {
      await loaded
      return (_video, url, events) => {
        const each: Started = { kind, url, events, destroyed: false }
        started.push(each)
        return {
          figures: () => ({ delay: 1, kbps: 1, fps: 1, dropped: 2, decoded: 90, standing, hasAll }),
          destroy: () => {
            each.destroyed = true
          },
        }
      }
    }
  const video = {
    ended: false,
    currentTime: 0,
    buffered: { length: 1, start: () => 0, end: () => 10 },
    pause: () => void asked.push('pause'),
    play: () => {
      asked.push('play')
      return Promise.reject(new Error('not allowed'))
    },
  }
  const preview = createPreview(
    video as unknown as HTMLVideoElement,
    {
      open: () => address(),
      transports: { flv: start('flv'), hls: start('hls') },
      after: (milliseconds, action) => {
        const timer = { at: now + milliseconds, action }
        timers.push(timer)
        return () => {
          if (timers.includes(timer)) timers.splice(timers.indexOf(timer), 1)
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
      trouble: (reason) => {
        troubles.push(reason)
      },
    },
  )
  const settle = async (): Promise<void> => {
    for (let n = 0; n < 10; n++) await Promise.resolve()
  }
  return {
    preview,
    video,
    started,
    states,
    settle,
    get opened() {
      return opened
    },
    stops,
    troubles,
    /** What the element was asked for. */
    asked,
    /** Answers differently when an address is asked for. */
    answer: (next: typeof address): void => {
      address = next
    },
    /** Lets the picture stand for so many seconds. */
    stand: (seconds: number): void => {
      standing = seconds
    },
    /** All that is listed has come. */
    haveAll: (): void => {
      hasAll = true
    },
    /** Transports are loaded no earlier. */
    loadAfter: (until: Promise<unknown>): void => {
      loaded = until
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

it('attaches one player to the element, however often it is told to play while that is loaded', async () => {
  const on = stage()
  const { promise, resolve } = Promise.withResolvers<void>()
  on.loadAfter(promise)
  for (let time = 0; time < 3; time++) {
    on.preview.live()
    await on.settle()
  }
  on.preview.again()
  await on.settle()
  resolve()
  await on.settle()
  expect(on.started.map(({ destroyed }) => destroyed)).toEqual([false])
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

it('says why it does not play, and no more once it plays or nothing is on air', async () => {
  const on = stage()
  on.preview.live()
  await on.settle()
  on.last()?.events.ended('lost', null)
  expect(on.troubles).toEqual(['lost'])
  await on.pass(300)
  on.last()?.events.playing()
  expect(on.troubles).toEqual(['lost', null])
  on.preview.idle()
  expect(on.troubles.at(-1)).toBeNull()
})

it('waits 300, 600, 1000, 2000, 3000, then 5000 ms between attempts', async () => {
  const on = stage()
  on.preview.live()
  await on.settle()
  for (const wait of [300, 600, 1_000, 2_000, 3_000, 5_000, 5_000]) {
    on.last()?.events.ended('lost', null)
    const before = on.started.length
    await on.pass(wait - 1)
    expect(on.started.length).toBe(before)
    await on.pass(1)
    expect(on.started.length).toBe(before + 1)
  }
})

it('keeps its address over two breaks without a status, and asks anew with the third', async () => {
  const on = stage()
  on.preview.live()
  await on.settle()
  for (const url of ['/media/1/live.flv', '/media/1/live.flv', '/media/2/live.flv']) {
    on.last()?.events.ended('lost', null)
    await on.pass(5_000)
    expect(on.last()?.url).toBe(url)
  }
})

it('says that the profile has no such address, and tries the other one when it is chosen', async () => {
  const on = stage()
  on.answer(() => Promise.resolve({ flv: null, hls: '/media/a.m3u8' }))
  on.preview.live()
  await on.settle()
  expect([on.started.length, on.troubles.at(-1)]).toEqual([0, 'absent'])
  on.preview.use('hls')
  await on.settle()
  expect(on.last()?.url).toBe('/media/a.m3u8')
})

it('tries again where no address was given, and says why not', async () => {
  const on = stage()
  on.answer(() => Promise.reject(new Error('no line')))
  on.preview.live()
  await on.settle()
  expect([on.troubles.at(-1), on.states.at(-1)]).toEqual(['no line', 'waiting'])
  on.answer(() => Promise.resolve({ flv: '/media/b.flv', hls: null }))
  await on.pass(300)
  expect(on.last()?.url).toBe('/media/b.flv')
})

it('takes no address that comes after the push ended', async () => {
  const on = stage()
  const gate = Promise.withResolvers<{ flv: string | null; hls: string | null }>()
  on.answer(() => gate.promise)
  on.preview.live()
  await on.settle()
  on.preview.idle()
  gate.resolve({ flv: '/media/late.flv', hls: null })
  await on.settle()
  expect([on.started.length, on.states.at(-1)]).toEqual([0, 'off'])
})

it('goes on with the stream that it has where a pause was short, and asks for none twice', async () => {
  const on = stage()
  on.preview.live()
  await on.settle()
  on.last()?.events.playing()
  on.preview.pause()
  on.preview.pause()
  on.preview.resume()
  on.preview.resume()
  expect([on.asked, on.started.length, on.waiting]).toEqual([['pause', 'play'], 1, 0])
  await on.pass(10_000)
  expect(on.last()?.destroyed).toBe(false)
})

it('does not connect again while it is paused, nor off the air', async () => {
  const on = stage()
  on.preview.live()
  await on.settle()
  on.preview.pause()
  on.last()?.events.ended('lost', null)
  await on.pass(60_000)
  expect(on.started).toHaveLength(1)
  on.preview.idle()
  on.preview.resume()
  await on.settle()
  expect(on.started).toHaveLength(1)
})

it('asks for a new address with a new line to the app, and keeps a picture that runs', async () => {
  const on = stage()
  on.preview.live()
  await on.settle()
  on.last()?.events.playing()
  on.preview.renew()
  await on.settle()
  expect([on.started.length, on.last()?.destroyed]).toEqual([1, false])
  on.last()?.events.ended('lost', null)
  on.preview.renew()
  await on.settle()
  expect([on.started.length, on.last()?.url]).toEqual([2, '/media/2/live.flv'])
})

it('is not begun anew by the choice of the way that it plays already', async () => {
  const on = stage()
  on.preview.live()
  await on.settle()
  on.preview.use('flv')
  await on.settle()
  expect(on.started).toHaveLength(1)
  on.preview.idle()
  on.preview.use('hls')
  await on.settle()
  expect(on.started).toHaveLength(1)
})

it('knows no figures without a player', async () => {
  const on = stage()
  expect(on.preview.figures()).toBeUndefined()
  on.preview.live()
  await on.settle()
  expect(on.preview.figures()).toMatchObject({ dropped: 2, decoded: 90 })
  on.preview.destroy()
  expect(on.preview.figures()).toBeUndefined()
})

it('does nothing any more once it is taken down', async () => {
  const on = stage()
  on.preview.live()
  await on.settle()
  on.preview.pause()
  on.preview.destroy()
  on.preview.resume()
  on.preview.live()
  await on.settle()
  await on.pass(60_000)
  expect([on.started.length, on.last()?.destroyed, on.waiting]).toEqual([1, true, 0])
})

it('plays what it has of a show that is over, and is off once that has ended', async () => {
  const on = stage()
  on.preview.live()
  await on.settle()
  on.last()!.events.playing()
  expect(on.preview.finish()).toBe(true)
  // Its playlist is gone, or its connection: what was read before plays on.
  on.last()!.events.ended('manifestLoadError', 404)
  await on.pass(5_000)
  expect([on.last()!.destroyed, on.states.at(-1)]).toEqual([false, 'playing'])
  expect(on.preview.finish()).toBe(true)
  on.video.ended = true
  on.last()!.events.ended('the stream ended', null)
  expect([on.last()!.destroyed, on.states.at(-1), on.started.length]).toEqual([true, 'off', 1])
  expect(on.preview.finish()).toBe(false)
})

it.each([
  ['stands', 2.9, 3, 250],
  ['plays too long', 0, 0, 30_000],
] as const)('does not wait for the rest of a show that %s', async (_what, before, then, ms) => {
  const on = stage()
  on.preview.live()
  await on.settle()
  on.last()!.events.playing()
  on.preview.finish()
  on.stand(before)
  for (let gone = 0; gone < ms - 250; gone += 250) await on.pass(250)
  expect(on.states.at(-1)).toBe('playing')
  on.stand(then)
  await on.pass(250)
  expect([on.last()!.destroyed, on.states.at(-1)]).toEqual([true, 'off'])
})

it('is off as soon as all that came of a show that is over was played, though its end is not told', async () => {
  const on = stage()
  on.preview.live()
  await on.settle()
  on.last()!.events.playing()
  on.preview.finish()
  on.video.currentTime = 9.96
  await on.pass(1_000)
  await on.pass(1_000)
  // Another segment may come.
  expect(on.states.at(-1)).toBe('playing')
  on.haveAll()
  on.video.currentTime = 9.97
  await on.pass(100)
  expect(on.states.at(-1)).toBe('playing')
  await on.pass(100)
  expect([on.last()!.destroyed, on.states.at(-1)]).toEqual([true, 'off'])
})

it('plays on what came of a show that is over, whatever it stands for shortly', async () => {
  const on = stage()
  on.preview.live()
  await on.settle()
  on.last()!.events.playing()
  on.haveAll()
  on.preview.finish()
  on.video.currentTime = 8
  for (let look = 0; look < 20; look++) await on.pass(100)
  expect(on.states.at(-1)).toBe('playing')
})

it('leaves the rest of a show for the next one', async () => {
  const on = stage()
  on.preview.live()
  await on.settle()
  on.last()!.events.playing()
  on.preview.finish()
  on.preview.live()
  await on.settle()
  await on.pass(40_000)
  expect(on.started.map(({ destroyed }) => destroyed)).toEqual([true, false])
})

it('ends the rest of a show that is paused with the pause, and has none of one that never played', async () => {
  const on = stage()
  expect(on.preview.finish()).toBe(false)
  on.preview.live()
  await on.settle()
  on.last()!.events.playing()
  on.preview.finish()
  on.stand(10)
  on.preview.pause()
  await on.pass(4_999)
  expect(on.last()!.destroyed).toBe(false)
  await on.pass(1)
  expect([on.last()!.destroyed, on.states.at(-1)]).toEqual([true, 'off'])
})

it('opens a stream that has come to its end again no earlier than it is known whether the show is over', async () => {
  const on = stage()
  on.preview.live()
  await on.settle()
  on.last()!.events.playing()
  on.video.ended = true
  on.last()!.events.ended('the stream ended', null)
  await on.pass(1_499)
  expect(on.started).toHaveLength(1)
  await on.pass(1)
  expect(on.started).toHaveLength(2)
})
