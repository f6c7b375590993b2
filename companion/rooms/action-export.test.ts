import { expect, it } from 'vitest'
import type { RoomAction } from '../../contract/rpc/index.ts'
import { actionsAsCsv, actionsAsJson } from './action-export.ts'

const action = (more: Partial<RoomAction> = {}): RoomAction => ({
  id: 7,
  roomid: 1,
  at: Date.UTC(2026, 10, 27, 5, 6, 7, 8),
  operator: 'ana',
  operatorName: 'Ana',
  what: { kind: 'mute', target: 'mei', on: true },
  targetName: 'Mei',
  why: 'spam',
  undoes: null,
  result: 'done',
  code: 200,
  failure: null,
  detail: 'fine',
  line: '',
  ...more,
})
const part = (actions: readonly RoomAction[], more: object = {}) => ({
  actions,
  isFirst: true,
  isLast: true,
  dropped: null,
  ...more,
})
const head =
  '\uFEFF"number","time","operator","operatorName","action","target","targetName","details","line","reason",' +
  '"undoes","result","code","failure","answer"\r\n'

it('writes an action as a line of CSV under the headings, with the time in UTC', () => {
  expect(actionsAsCsv(part([action()]))).toBe(
    `${head}"7","2026-11-27T05:06:07.008Z","ana","Ana","mute","mei","Mei","{""on"":true}","","spam",` +
      `"","done","200","","fine"\r\n`,
  )
})

it('writes the mark and the headings only at the begin of a file', () => {
  expect(actionsAsCsv(part([]))).toBe(head)
  expect(actionsAsCsv(part([], { isFirst: false }))).toBe('')
  expect(actionsAsCsv(part([action()], { isFirst: false })).startsWith('"7",')).toBe(true)
})

it('leaves the details of an action empty that has none, and its target where it has no', () => {
  const row = actionsAsCsv(part([action({ what: { kind: 'queueClear' }, targetName: '' })], { isFirst: false }))
  expect(row.split(',').slice(4, 8)).toEqual(['"queueClear"', '""', '""', '""'])
})

it.each([
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  '  =1',
  '\u200B=1',
  '\u00AD=1',
  '\u3164=1',
  '＝1',
  '＋1',
  '－1',
  '＠1',
  '﹦1',
  '﹢1',
  '﹣1',
  '﹫1',
  '−1',
])('writes %j with an apostrophe, so that no program takes it for a formula', (text) => {
  const row = actionsAsCsv(part([action({ why: text })], { isFirst: false }))
  expect(row).toContain(`,"'${text}",`)
})

it.each(['1=1', 'a-b', '"=1"', '', '7', 'no\n=1'])('writes %j as it is but for doubled quotes', (text) => {
  const row = actionsAsCsv(part([action({ why: text })], { isFirst: false }))
  expect(row).toContain(`,"${text.replaceAll('"', '""')}",`)
})

const dropped = { entries: 3, until: Date.UTC(2026, 0, 2) }
it('ends with how many older entries were dropped and until when, in the last part only', () => {
  expect(actionsAsCsv(part([], { isFirst: false, dropped }))).toBe(
    '"","2026-01-02T00:00:00.000Z","","","olderEntriesDropped","","","{""entries"":3}","","","","","","",""\r\n',
  )
  expect(actionsAsCsv(part([], { isFirst: false, isLast: false, dropped }))).toBe('')
  expect(JSON.parse(actionsAsJson(part([], { dropped })))).toEqual([
    { what: { kind: 'olderEntriesDropped', ...dropped } },
  ])
  expect(JSON.parse(actionsAsJson(part([])))).toEqual([])
})

it('writes JSON in parts that are one list together, also where one of them is empty', () => {
  const [one, two] = [action({ id: 2 }), action({ id: 1 })]
  const whole = [
    actionsAsJson(part([one], { isLast: false, dropped })),
    actionsAsJson(part([], { isFirst: false, isLast: false, dropped })),
    actionsAsJson(part([two], { isFirst: false, dropped })),
  ].join('')
  expect(JSON.parse(whole)).toEqual([one, two, { what: { kind: 'olderEntriesDropped', ...dropped } }])
  expect(whole.startsWith('[\n') && whole.endsWith('\n]\n')).toBe(true)
  expect(
    JSON.parse(actionsAsJson(part([one], { isLast: false })) + actionsAsJson(part([], { isFirst: false }))),
  ).toEqual([one])
})
