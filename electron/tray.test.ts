import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { inflateSync } from 'node:zlib'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { trayIcons } from '../scripts/tray-icons.ts'
import type { Air, AirChannel, AirRoom } from './on-air-state.ts'
import { wordsOf } from './words.ts'

vi.mock('electron', () => import('./testing/electron-double.ts'))
const { desk } = await import('./testing/electron-double.ts')
const { openTray, tallyIn } = await import('./tray.ts')

const icons = path.join(import.meta.dirname, '..', 'resources', 'tray')
const channel = (name: string, recording = false): AirChannel => ({
  profileId: 'local',
  cid: name,
  name,
  since: 1,
  recording,
  stale: false,
})
const room = (roomid: number, name: string, muted = false): AirRoom => ({ profileId: 'local', roomid, name, muted })
const air = (lamp: Air['lamp'], channels: AirChannel[] = [], rooms: AirRoom[] = []): Air => ({
  lamp,
  channels,
  rooms,
  settings: undefined,
})
let done: string[]
const open = (platform: NodeJS.Platform = 'win32') => {
  const place = { icons, platform }
  const tray = openTray(place, () => undefined)
  return (
    tray &&
    tallyIn(tray, place, {
      open: () => done.push('open'),
      mute: ({ roomid }, on) => done.push(`mute ${roomid} ${on}`),
      record: ({ cid }, on) => done.push(`record ${cid} ${on}`),
      quit: () => done.push('quit'),
    })
  )
}
const only = () => {
  const [tray] = desk.trays
  if (!tray) throw new Error('no tray')
  return tray
}

beforeEach(() => {
  desk.trays.length = 0
  desk.hasTray = true
  done = []
})

describe('the tray', () => {
  it('shows each state in a shape of its own and in words', () => {
    const tray = open()
    const seen = (['idle', 'live', 'recording', 'fault'] as const).map((lamp) => {
      tray?.show(air(lamp, lamp === 'idle' ? [] : [channel('show')]), wordsOf('en', ''))
      return [path.basename(only().picture.file), only().tip, only().menu[0]]
    })
    expect(seen).toEqual([
      ['idle.png', 'Sidestage – Idle', { label: 'Idle', enabled: false }],
      ['live.png', 'Sidestage – ON AIR – show', { label: 'ON AIR · show', enabled: false }],
      ['recording.png', 'Sidestage – ON AIR, REC – show', { label: 'ON AIR, REC · show', enabled: false }],
      [
        'fault.png',
        'Sidestage – FAULT: the service does not answer – show',
        { label: 'FAULT: the service does not answer · show', enabled: false },
      ],
    ])
  })

  it('is a picture without colour on macOS, where a click opens the menu', () => {
    open('darwin')?.show(air('live', [channel('show')]), wordsOf('zh', ''))
    expect(path.basename(only().picture.file)).toBe('liveTemplate.png')
    expect(only().picture.isTemplate).toBe(true)
    only().emit('click')
    expect(done).toEqual([])
  })

  it('opens the window, mutes rooms, records what is on air, and quits', () => {
    const tray = open()
    tray?.show(
      air('recording', [channel('a', true), channel('b')], [room(7, 'Late'), room(8, '', true)]),
      wordsOf('en', ''),
    )
    for (const begin of ['Open', 'Mute “Late”', 'Lift the mute of “8”', 'Stop recording “a”', 'Record “b”', 'Quit'])
      only().choose(begin)
    only().emit('click')
    expect(done).toEqual(['open', 'mute 7 true', 'mute 8 false', 'record a false', 'record b true', 'quit', 'open'])
    tray?.show(air('idle'), wordsOf('zh', ''))
    expect(only().menu.map(({ label }) => label ?? '-')).toEqual(['空闲', '打开 Sidestage', '-', '退出'])
    tray?.close()
    expect(only().isGone).toBe(true)
    tray?.show(air('live'), wordsOf('en', ''))
  })

  it('names at most four of each, on one line, and no name becomes a key of the menu', () => {
    const many = Array.from({ length: 50 }, (_, n) => n)
    open()?.show(
      air(
        'live',
        many.map((n) => channel(`&a\n\u202e${n}${'x'.repeat(200)}`)),
        many.map((n) => room(n + 1, 'r')),
      ),
      wordsOf('en', ''),
    )
    const labels = only().menu.flatMap(({ label }) => label ?? [])
    expect(labels).toHaveLength(1 + 1 + 4 + 4 + 1)
    expect(labels.filter((label) => /[\p{Cc}\p{Cf}]|(?<!&)&(?!&)/u.test(label))).toEqual([])
    expect(Math.max(...labels.slice(1).map(({ length }) => length))).toBeLessThan(60)
    expect(only().tip.length).toBeLessThanOrEqual(120)
  })

  it('shows 40 characters of a name, with the sign that there are more, and 120 of what it says', () => {
    const tray = open()
    tray?.show(air('live', [channel('n'.repeat(40))]), wordsOf('en', ''))
    expect(only().menu[0]?.label).toBe(`ON AIR · ${'n'.repeat(40)}`)
    tray?.show(air('live', [channel('n'.repeat(41))]), wordsOf('en', ''))
    expect(only().menu[0]?.label).toBe(`ON AIR · ${'n'.repeat(40)}…`)
    tray?.show(air('fault', [channel('&'.repeat(200))]), wordsOf('en', ''))
    expect(only().tip.length).toBeLessThanOrEqual(120)
  })

  it('is left out where the system has no place for it', () => {
    desk.hasTray = false
    expect(open()).toBeUndefined()
  })
})

describe('its pictures', () => {
  const pixels = (png: Buffer): Buffer => {
    const at = png.indexOf('IDAT')
    return inflateSync(png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4)))
  }

  it('are those that the script draws', () => {
    const drawn = trayIcons()
    expect(readdirSync(icons).sort()).toEqual([...drawn.keys()].sort())
    for (const [name, bytes] of drawn) {
      const kept = readFileSync(path.join(icons, name))
      expect(kept.subarray(0, 33), name).toEqual(bytes.subarray(0, 33))
      expect(pixels(kept).equals(pixels(bytes)), name).toBe(true)
    }
  })

  it('differ in their shape, not only in their colour', () => {
    const shapes = ['idle', 'live', 'recording', 'fault'].map((name) =>
      pixels(readFileSync(path.join(icons, `${name}Template@2x.png`))).toString('hex'),
    )
    expect(new Set(shapes).size).toBe(4)
  })
})
