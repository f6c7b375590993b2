import { afterEach, expect, it } from 'vitest'
import { createSound } from './sound.ts'

afterEach(() => {
  localStorage.clear()
  sessionStorage.clear()
})
/** The sound of a page that is opened. */
function open() {
  const video = document.createElement('video')
  const sound = createSound(video, () => undefined)
  const heard = (): readonly [boolean, number] => [!video.muted, Math.round(video.volume * 100)]
  return { ...sound, video, heard }
}

it('is as it was after a reload, and silent in another tab, with the same volume', () => {
  const first = open()
  expect(first.heard()).toEqual([false, 100])
  first.toggle()
  first.volume.value = '40'
  first.volume.dispatchEvent(new Event('input'))
  expect(open().heard()).toEqual([true, 40])
  sessionStorage.clear()
  expect(open().heard()).toEqual([false, 40])
})

it('is not forgotten because the browser mutes it, and is where the person does', () => {
  const first = open()
  first.toggle()
  // Without a gesture.
  first.video.muted = true
  expect(open().heard()).toEqual([true, 100])
  first.toggle()
  first.toggle()
  expect(open().heard()).toEqual([false, 100])
})

it('is heard after a gesture for the picture, unless it was turned off', () => {
  const first = open()
  first.hear()
  expect(first.heard()).toEqual([true, 100])
  first.toggle()
  const again = open()
  again.hear()
  expect(again.heard()).toEqual([false, 100])
})

it.each(['0', '-1', '101', 'x'])('has no volume that was kept as %s', (kept) => {
  localStorage.setItem('sidestage-volume', kept)
  expect(open().heard()).toEqual([false, 100])
})
