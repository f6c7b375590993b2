import { expect, it } from 'vitest'
import { createFigures, sizeText } from './figures.ts'

it('says the height with the frames of a second', () => {
  expect([sizeText(1080, 59.94), sizeText(720, null), sizeText(0, 30)]).toEqual(['1080p60', '720p', ''])
})

it('has a dash for what the player does not know', () => {
  const figures = createFigures()
  const values = (): (string | null)[] => [...figures.node.querySelectorAll('dd')].map(({ textContent }) => textContent)
  figures.show({ delay: 1.44, kbps: 3456, fps: 30, dropped: 2, decoded: 1200, standing: 0 }, 1920, 1080, 'HLS')
  expect(values()).toEqual(['1920 × 1080, 30 fps', '3.5 Mbit/s', '1.4 s', '2 / 1,200', 'HLS'])
  figures.show(undefined, 0, 0, 'HTTP-FLV')
  expect(values()).toEqual(['–', '–', '–', '–', 'HTTP-FLV'])
})
