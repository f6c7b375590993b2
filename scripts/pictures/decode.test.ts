import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { toWebp } from '../../e2e/screens/picture.ts'
import { faultOf, isPicture } from './decode.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'pictures-'))
afterAll(() => rmSync(folder, { recursive: true }))
const written = (name: string, bytes: Buffer): string => {
  writeFileSync(path.join(folder, name), bytes)
  return path.join(folder, name)
}
// Noise does not fit as it is, so both ways of writing are tried.
const noise = (width: number, height: number): Promise<Buffer> =>
  sharp({
    create: { width, height, channels: 3, background: 'black', noise: { type: 'gaussian', mean: 128, sigma: 12 } },
  })
    .png()
    .toBuffer()
let small: Buffer
let large: Buffer
beforeAll(async () => {
  small = await toWebp(await noise(40, 30))
  large = await toWebp(await noise(400, 300))
})

it('opens the pictures that are written of screens, with and without loss', async () => {
  expect(small.subarray(12, 16).toString()).toBe('VP8L')
  expect(large.subarray(12, 16).toString()).not.toBe('VP8L')
  expect(await faultOf(written('small.webp', small))).toBeUndefined()
  expect(await faultOf(written('large.webp', large))).toBeUndefined()
})

it('names a picture without its length, cut short, of another kind, or empty', async () => {
  const unmeasured = Buffer.from(large)
  unmeasured.writeUInt32LE(0, 4)
  expect(await faultOf(written('unmeasured.webp', unmeasured))).toMatch(/length/)
  expect(await faultOf(written('half.webp', large.subarray(0, large.length / 2)))).toBeDefined()
  const png = await noise(40, 30)
  expect(await faultOf(written('half.png', png.subarray(0, png.length / 2)))).toBeDefined()
  expect(await faultOf(written('text.svg', Buffer.from('not a picture')))).toBeDefined()
  expect(await faultOf(written('empty.png', Buffer.alloc(0)))).toBeDefined()
})

it('looks at pictures and at nothing else', () => {
  expect(['a.webp', 'b.PNG', 'c.jpeg', 'd.svg'].every(isPicture)).toBe(true)
  expect(['manifest.json', 'a.ts', 'webp'].some(isPicture)).toBe(false)
})
