import flvjs from 'flv.js'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startFile } from './file-player.ts'

/** A video element whose playing the test holds. */
async function play(from = 0, length = 60) {
  const video = document.createElement('video')
  const sources: string[] = []
  const sought: number[] = []
  const failed: string[] = []
  let [plays, loads] = [0, 0]
  Object.defineProperties(video, {
    src: {
      set: (source: string) => {
        sources.push(source)
      },
    },
    currentTime: {
      set: (to: number) => {
        sought.push(to)
      },
    },
    duration: { get: () => length },
  })
  video.play = () => {
    plays += 1
    return Promise.reject(new Error('not allowed'))
  }
  video.load = () => (loads += 1)
  const player = await startFile(video, '/media/1.mp4', from, (reason) => failed.push(reason))
  const tell = (event: string): boolean => video.dispatchEvent(new Event(event))
  return { video, sources, sought, failed, player, tell, counts: () => ({ plays, loads }) }
}

it('plays an MP4 by the browser, also where it must not begin by itself', async () => {
  const { sources, counts, failed } = await play()
  expect(sources).toEqual(['/media/1.mp4'])
  expect(counts()).toEqual({ plays: 1, loads: 0 })
  expect(failed).toEqual([])
})

it.each([
  [0, 60, []],
  [30, 60, [30]],
  [59.8, 60, [59.5]],
  [30, 0.2, [0]],
])('begins at %d s of %d s, at the latest half a second before the end', async (from, length, to) => {
  const { sought, tell } = await play(from, length)
  tell('loadedmetadata')
  tell('loadedmetadata')
  expect(sought).toEqual(to)
})

it('says once that it cannot be played', async () => {
  const { tell, failed } = await play()
  tell('error')
  tell('error')
  expect(failed).toEqual(['the picture cannot be played'])
})

it('empties the element at its end, and says nothing any more', async () => {
  const { video, tell, failed, player, counts, sought } = await play(30)
  video.setAttribute('src', 'x')
  player.destroy()
  tell('error')
  tell('loadedmetadata')
  expect([video.hasAttribute('src'), counts().loads, failed, sought]).toEqual([false, 1, [], []])
})

describe('a file in FLV', () => {
  const rig = async (from = 0) => {
    const listeners = new Map<string, (...data: unknown[]) => void>()
    const done: string[] = []
    const note = (what: string) => () => void done.push(what)
    const player = {
      currentTime: 0,
      on: (event: string, listener: (...data: unknown[]) => void) => listeners.set(event, listener),
      attachMediaElement: note('attach'),
      load: note('load'),
      pause: note('pause'),
      unload: note('unload'),
      detachMediaElement: note('detach'),
      destroy: note('destroy'),
    }
    const create = vi
      .spyOn(flvjs, 'createPlayer')
      .mockReturnValue(player as unknown as ReturnType<typeof flvjs.createPlayer>)
    onTestFinished(() => create.mockRestore())
    const video = document.createElement('video')
    vi.spyOn(video, 'play').mockRejectedValue(new Error('not allowed'))
    const sought: number[] = []
    Object.defineProperties(video, {
      currentTime: {
        get: () => 0,
        set: (to: number) => {
          sought.push(to)
        },
      },
      duration: { get: () => 60 },
    })
    const failed: string[] = []
    const made = await startFile(video, '/media/1.flv', from, (reason) => failed.push(reason))
    return {
      create,
      video,
      done,
      sought,
      failed,
      made,
      tell: (event: string, ...data: unknown[]): void => listeners.get(event)?.(...data),
    }
  }

  it('is read by ranges, sought exactly, and played', async () => {
    const { create, done, video } = await rig()
    expect(create.mock.calls[0]?.[0]).toEqual({ type: 'flv', url: '/media/1.flv', isLive: false })
    expect(create.mock.calls[0]?.[1]).toMatchObject({ enableWorker: false, seekType: 'range', accurateSeek: true })
    expect(done).toEqual(['attach', 'load'])
    expect(video.play).toHaveBeenCalledOnce()
    expect(video.hasAttribute('src')).toBe(false)
  })

  it('begins where it is wished, at the latest half a second before the end', async () => {
    const { video, sought } = await rig(59.9)
    video.dispatchEvent(new Event('loadedmetadata'))
    video.dispatchEvent(new Event('loadedmetadata'))
    expect(sought).toEqual([59.5])
  })

  it('says once what went wrong', async () => {
    const { tell, failed } = await rig()
    tell(flvjs.Events.ERROR, 'MediaError', 'FormatUnsupported')
    tell(flvjs.Events.ERROR, 'NetworkError', 'Exception')
    expect(failed).toEqual(['MediaError: FormatUnsupported'])
  })

  it('is taken down whole, and says nothing any more', async () => {
    const { made, done, tell, failed, video, sought } = await rig(30)
    made.destroy()
    expect(done.slice(2)).toEqual(['pause', 'unload', 'detach', 'destroy'])
    tell(flvjs.Events.ERROR, 'MediaError', 'FormatUnsupported')
    video.dispatchEvent(new Event('loadedmetadata'))
    expect([failed, sought]).toEqual([[], []])
  })
})
