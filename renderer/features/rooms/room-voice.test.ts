import { expect, it } from 'vitest'
import { maxLines, withLines, type RoomLine } from './room-log.ts'
import { createRoomSpeaker, createRoomVoice, cutForVoice, voicePause } from './room-voice.ts'

const said = (at: number, more: Partial<RoomLine> = {}): RoomLine => ({
  msgid: `m${at}`,
  at,
  from: 'ana',
  nick: 'Ana',
  text: `line ${at}`,
  notice: null,
  removed: null,
  ...more,
})
const many = (from: number, count: number): RoomLine[] =>
  Array.from({ length: count }, (_, index) => said(from + index))
const ids = (lines: readonly RoomLine[]): string[] => lines.map(({ msgid }) => msgid)

it('has what came since, and nothing of what was there before somebody came', () => {
  const voice = createRoomVoice()
  let log = many(1, 3)
  expect(voice.hear(log)).toEqual([])
  log = [...withLines(log, [said(4), said(5)])]
  expect(ids(voice.hear(log))).toEqual(['m4', 'm5'])
  expect(voice.hear(log)).toEqual([])
  voice.begin()
  log = [...withLines(log, [said(6)])]
  expect(voice.hear(log)).toEqual([])
})

it('goes on once the log is full and its length stays the same', () => {
  const voice = createRoomVoice()
  let log: readonly RoomLine[] = many(1, maxLines)
  voice.hear(log)
  for (const at of [1, 2, 3]) {
    log = withLines(log, [said(maxLines + at)])
    expect(log).toHaveLength(maxLines)
    expect(ids(voice.hear(log))).toEqual([`m${maxLines + at}`])
  }
  // So many at once that none of those before is left.
  log = withLines(log, many(3 * maxLines, maxLines))
  expect(voice.hear(log)).toHaveLength(maxLines)
})

it('has a line that was held back while later ones were read out, and no older lines that were read in', () => {
  const voice = createRoomVoice()
  let log: readonly RoomLine[] = [said(10), said(30)]
  voice.hear(log)
  log = withLines(log, [said(20)])
  expect(ids(voice.hear(log))).toEqual(['m20'])
  log = withLines(log, [said(1), said(2)])
  expect(voice.hear(log)).toEqual([])
})

it('leaves out notices and what was deleted at once', () => {
  const voice = createRoomVoice()
  voice.hear([])
  const notice = {
    id: 301,
    operator: '',
    target: [],
    names: [],
    why: '',
    seconds: null,
    expired: false,
    stillMuted: false,
  }
  const log = [said(1, { notice }), said(2, { removed: { by: 'mei', why: '', at: 3 } }), said(4)]
  expect(ids(voice.hear(log))).toEqual(['m4'])
})

it('reads out at most once in a pause however fast the room is, never long, and loses no line of the count', () => {
  const speaker = createRoomSpeaker()
  let log: readonly RoomLine[] = []
  expect(speaker.speak(log, 0)).toBeNull()
  const told: { readonly at: number; readonly count: number }[] = []
  // A minute of 200 lines a second, looked at four times a second.
  for (let at = 250; at <= 60_000; at += 250) {
    log = withLines(log, many(at * 10, 50))
    const what = speaker.speak(log, at)
    if (what) told.push({ at, count: 'count' in what ? what.count : what.lines.length })
  }
  expect(told).toHaveLength(30)
  for (const [index, { at }] of told.entries())
    expect(at - (told[index - 1]?.at ?? -voicePause)).toBeGreaterThanOrEqual(voicePause)
  expect(told.reduce((sum, { count }) => sum + count, 0)).toBe(240 * 50 - 350)
})

it('reads a few lines with who said them, cuts long ones, and says only how many there are of more', () => {
  const speaker = createRoomSpeaker()
  speaker.speak([], 0)
  let log: readonly RoomLine[] = withLines([], [said(1), said(2, { nick: 'Mei', text: '😀'.repeat(3_000) })])
  const two = speaker.speak(log, 5_000)
  expect(two).toEqual({ lines: ['Ana: line 1', `Mei: ${'😀'.repeat(100)} …`] })
  log = withLines(log, many(3, 3))
  expect(speaker.speak(log, 6_000)).toBeNull()
  expect(speaker.speak(log, 7_000)).toEqual({ count: 3 })
  expect(speaker.speak(log, 60_000)).toBeNull()
})

it.each([
  ['x'.repeat(200), 'x'.repeat(200)],
  ['x'.repeat(201), `${'x'.repeat(200)} …`],
  [`${'x'.repeat(199)}😀y`, `${'x'.repeat(199)} …`],
])('cuts a text after 200 characters, and no character in two', (text, said) => {
  expect(cutForVoice(text)).toBe(said)
})

it('reads two lines, and the number of three', () => {
  for (const [count, said] of [
    [2, { lines: ['Ana: line 1', 'Ana: line 2'] }],
    [3, { count: 3 }],
  ] as const) {
    const speaker = createRoomSpeaker()
    speaker.speak([], 0)
    expect(speaker.speak(many(1, count), 5_000)).toEqual(said)
  }
})

it('begins in silence in another room, whatever was read before', () => {
  const speaker = createRoomSpeaker()
  speaker.speak([], 0)
  speaker.begin()
  expect(speaker.speak(many(1, 2), 5_000)).toBeNull()
  expect(speaker.speak(many(1, 3), 10_000)).toEqual({ lines: ['Ana: line 3'] })
})
