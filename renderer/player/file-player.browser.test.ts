import { expect, it } from 'vitest'
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
