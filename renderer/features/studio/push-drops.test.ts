import { expect, it } from 'vitest'
import { pushEnds } from '../../../contract/push-ends.ts'
import type { PushTurn } from '../../../contract/rpc/index.ts'
import { createLanguages } from '../../locales/i18n.ts'
import { dropsOf, endOf, lastEnd, lineOf, minutesOf } from './push-drops.ts'

const turn = (
  at: number,
  kind: PushTurn['kind'],
  detail: string | null = null,
  remedy: string | null = null,
): PushTurn => ({ at, kind, detail, remedy })

it('tells each drop with its reason and how long viewers had nothing, newest first', () => {
  const drops = dropsOf([
    turn(0, 'started'),
    turn(10_000, 'ended', 'lost'),
    turn(11_000, 'refused', 'words', 'key'),
    turn(14_000, 'started'),
    turn(20_000, 'replaced', 'replaced'),
    turn(20_000, 'started'),
    turn(30_000, 'ended', 'silent'),
    turn(31_000, 'ended', 'service'),
    turn(40_000, 'started'),
    turn(45_000, 'ended', 'silent'),
    turn(48_000, 'started'),
    turn(50_000, 'ended', 'something new'),
    turn(51_000, 'refused', 'words', 'unheard'),
  ])
  expect(drops.map(({ at, says, without }) => [at, says, without])).toEqual([
    [51_000, 'refused_other', undefined],
    [50_000, 'other', null],
    [45_000, 'silent', 13_000],
    [31_000, 'service', 9_000],
    [30_000, 'silent', null],
    [20_000, 'replaced', 0],
    [11_000, 'refused_key', undefined],
    [10_000, 'lost', 4_000],
  ])
  expect(drops[1]?.detail).toBe('something new')
})

it('has the losses that a hold covered, each once, also when it ran out', () => {
  const told = (...turns: PushTurn[]) => dropsOf(turns).map(({ at, says, without }) => [at, says, without])
  const begun = turn(0, 'started')
  expect(told(begun, turn(10_000, 'held'), turn(13_000, 'holdEnded'), turn(20_000, 'held'))).toEqual([
    [20_000, 'held', null],
    [10_000, 'held', 3_000],
  ])
  // It ran out, and the encoder came two minutes later.
  expect(
    told(
      begun,
      turn(10_000, 'held'),
      turn(130_000, 'ended', 'lost'),
      turn(130_000, 'holdEnded'),
      turn(250_000, 'started'),
    ),
  ).toEqual([[10_000, 'lost', 240_000]])
  expect(told(begun, turn(10_000, 'held'), turn(130_000, 'ended', 'silent'))).toEqual([[10_000, 'silent', null]])
  expect(told(begun, turn(10_000, 'held'), turn(12_000, 'ended', 'disabled'))).toEqual([
    [12_000, 'disabled', null],
    [10_000, 'held', 2_000],
  ])
  // By hand nothing is lost, unless the encoder goes meanwhile.
  expect(told(begun, turn(1_000, 'heldByHand'), turn(9_000, 'holdEnded'), turn(10_000, 'ended', 'stopped'))).toEqual([
    [10_000, 'stopped', null],
  ])
  expect(
    told(begun, turn(1_000, 'heldByHand'), turn(2_000, 'held'), turn(4_000, 'returned'), turn(9_000, 'holdEnded')),
  ).toEqual([[2_000, 'held', 2_000]])
})

it('knows a lost encoder from one that stopped, and since when nothing came', () => {
  const ended = (detail: string) => lastEnd([turn(30_000, 'ended', detail), turn(0, 'started')])
  expect(ended('lost')).toEqual({ at: 30_000, lost: true, ofNode: false, stopped: false, held: false })
  expect(ended('silent')).toEqual({ at: 20_000, lost: true, ofNode: false, stopped: false, held: false })
  expect(ended('node')).toEqual({ at: 30_000, lost: true, ofNode: true, stopped: false, held: false })
  expect(ended('stopped')).toEqual({ at: 30_000, lost: false, ofNode: false, stopped: true, held: false })
  expect(ended('disabled')).toEqual({ at: 30_000, lost: false, ofNode: false, stopped: false, held: false })
  const line = (at: number, kind: string) => ({ at, kind, detail: null })
  const heldTo = [turn(30_000, 'ended', 'lost'), line(10_000, 'held'), turn(0, 'started')]
  expect(lastEnd(heldTo)).toEqual({ at: 10_000, lost: true, ofNode: false, stopped: false, held: true })
  // The encoder came back while the picture was held by hand, and was lost later.
  expect(lastEnd([heldTo[0]!, line(20_000, 'returned'), ...heldTo.slice(1)])).toMatchObject({ at: 30_000, held: false })
  expect(lastEnd([heldTo[0]!, line(20_000, 'holdEnded'), ...heldTo.slice(1)])?.at).toBe(30_000)
  expect(lastEnd([turn(40_000, 'started'), turn(30_000, 'ended', 'lost')])).toBeNull()
  expect(lastEnd([turn(31_000, 'refused', 'words', 'key'), turn(30_000, 'ended', 'lost')])?.lost).toBe(true)
})

it.each(['en', 'zh'] as const)('has a sentence in %s for every end that the service tells', async (language) => {
  const { plugin, words } = createLanguages()
  await words.need(['health'])
  await words.speak(language)
  const { te } = plugin.global
  for (const detail of [...pushEnds, 'service']) {
    expect(endOf(detail), detail).not.toBe('other')
    expect(te(`streamHealth.dropIs.${endOf(detail)}`), detail).toBe(true)
  }
})

it('sums figures up by the minute, newest first', () => {
  expect(
    minutesOf([
      { at: 1_000, kbps: 100, fps: 30, drift: 10 },
      { at: 2_000, kbps: 300, fps: null, drift: 2_500 },
      { at: 61_000, kbps: null, fps: null, drift: null },
    ]),
  ).toEqual([
    { at: 60_000, kbpsLeast: null, kbpsMean: null, fpsLeast: null, fpsMean: null, maxDrift: null },
    { at: 0, kbpsLeast: 100, kbpsMean: 200, fpsLeast: 30, fpsMean: 30, maxDrift: 2_500 },
  ])
})

it('draws ten minutes, with a gap where nothing was measured', () => {
  const samples = [0, 1_000, 2_000, 30_000, 31_000].map((at) => ({ at, kbps: at, fps: null, drift: null }))
  expect(lineOf(samples, [], 600_500, ({ kbps }) => kbps)).toEqual([
    [1, 2, 3, 30, 31],
    [1_000, 2_000, null, 30_000, 31_000],
  ])
})

it('does not join a push with one that starts a moment later', () => {
  const samples = [1_000, 2_000, 3_000, 4_000].map((at) => ({ at, kbps: at, fps: null, drift: null }))
  expect(lineOf(samples, [2_400], 600_500, ({ kbps }) => kbps)).toEqual([
    [1, 2, 2.5, 3, 4],
    [1_000, 2_000, null, 3_000, 4_000],
  ])
})
