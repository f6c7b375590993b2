import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { crc32, deflateSync } from 'node:zlib'

/** Draws the pictures of the tray into resources/tray: the shapes of the lamps, in colour and, for macOS, in black alone. */

type Point = (x: number, y: number) => boolean
type Colour = readonly [number, number, number]

/** Shapes on a square from 0 to 1. */
const shapes: Readonly<Record<string, { readonly isIn: Point; readonly colour: Colour }>> = {
  idle: {
    isIn: (x, y) => {
      const away = Math.hypot(x - 0.5, y - 0.5)
      return away <= 0.42 && away >= 0.28
    },
    colour: [0x8a, 0x95, 0xa3],
  },
  live: { isIn: (x, y) => Math.hypot(x - 0.5, y - 0.5) <= 0.42, colour: [0xe8, 0x3a, 0x44] },
  recording: { isIn: (x, y) => Math.abs(x - 0.5) <= 0.38 && Math.abs(y - 0.5) <= 0.38, colour: [0xe8, 0x3a, 0x44] },
  fault: {
    isIn: (x, y) => y >= 0.08 && y <= 0.9 && Math.abs(x - 0.5) <= ((y - 0.08) / 0.82) * 0.46,
    colour: [0xf2, 0xb3, 0x3d],
  },
}
/** Samples of one pixel in each direction. */
const samples = 8

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}

/** A PNG of RGBA pixels (PNG, 5 Datastream structure). */
function png(size: number, pixel: (x: number, y: number) => readonly number[]): Buffer {
  const rows: number[] = []
  for (let y = 0; y < size; y++) {
    rows.push(0)
    for (let x = 0; x < size; x++) rows.push(...pixel(x, y))
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(size, 0)
  head.writeUInt32BE(size, 4)
  // 8 bits, colour with alpha.
  head.set([8, 6, 0, 0, 0], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.from(rows), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function covered(isIn: Point, x: number, y: number, size: number): number {
  let hits = 0
  for (let row = 0; row < samples; row++)
    for (let column = 0; column < samples; column++)
      if (isIn((x + (column + 0.5) / samples) / size, (y + (row + 0.5) / samples) / size)) hits++
  return Math.round((hits / samples ** 2) * 255)
}

/** Every picture by its file name; `@2x` for displays of double density. */
export function trayIcons(): ReadonlyMap<string, Buffer> {
  const drawn = new Map<string, Buffer>()
  for (const [name, { isIn, colour }] of Object.entries(shapes))
    for (const [density, size] of [
      ['', 16],
      ['@2x', 32],
    ] as const) {
      drawn.set(
        `${name}${density}.png`,
        png(size, (x, y) => [...colour, covered(isIn, x, y, size)]),
      )
      drawn.set(
        `${name}Template${density}.png`,
        png(size, (x, y) => [0, 0, 0, covered(isIn, x, y, size)]),
      )
    }
  return drawn
}

if (import.meta.main) {
  const folder = path.join(import.meta.dirname, '..', 'resources', 'tray')
  mkdirSync(folder, { recursive: true })
  for (const [name, bytes] of trayIcons()) writeFileSync(path.join(folder, name), bytes)
}
