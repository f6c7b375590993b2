import { expect, it } from 'vitest'
import { behindText, createFigures, sizeText } from './figures.ts'

it('says the height with the frames of a second', () => {
  expect([sizeText(1080, 59.94), sizeText(720, null), sizeText(0, 30)]).toEqual(['1080p60', '720p', ''])
})

it('has a dash for what the player does not know', () => {
  const figures = createFigures()
  const values = (): (string | null)[] => [...figures.node.querySelectorAll('dd')].map(({ textContent }) => textContent)
  const known = { delay: 0.1, kbps: 3456, fps: 30, dropped: 2, decoded: 1200, standing: 0 }
  figures.show(known, 1.44, { videoWidth: 1920, videoHeight: 1080 }, 'hls')
  expect(values()).toEqual(['1920 × 1080, 30 fps', '3.5 Mbit/s', '1.4 s', '2 / 1,200', 'HLS'])
  figures.show(undefined, null, { videoWidth: 0, videoHeight: 0 }, 'flv')
  expect(values()).toEqual(['–', '–', '–', '–', 'HTTP-FLV'])
})

it('says minutes where a delay makes them', () => {
  expect([behindText(1.44), behindText(59.9), behindText(1_830)]).toEqual([
    '1.4 s behind',
    '59.9 s behind',
    '30:30 behind',
  ])
})
