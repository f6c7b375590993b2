import { expect, it } from 'vitest'
import type { MergeBoard, RecordedFile } from '../../../contract/rpc/index.ts'
import { mergeLimits } from '../../../contract/operations/recordings.ts'
import {
  maxCalls,
  mergeChecks,
  moved,
  outOfOrder,
  outputNameFault,
  maxOutputName,
  tooLong,
  totalBytes,
  totalLength,
  unmergeable,
} from './merge.ts'

const file = (vid: number, more: Partial<RecordedFile> = {}): RecordedFile => ({
  vid,
  cid: 'a',
  name: 'n',
  key: 'k',
  begin: vid * 1_000,
  end: vid * 1_000 + 500,
  format: 'mp4',
  bytes: 100,
  duration: 1_000,
  codecs: 'one',
  merged: false,
  ...more,
})
const task = (taskId: number, state: 'running' | 'done' = 'running') => ({
  taskId,
  outputName: 'o',
  state,
  reason: null,
  done: 0,
  total: 1,
})
const board = (more: Partial<MergeBoard> = {}): MergeBoard => ({ tasks: [], calls: [], ...more })
const check = (name: string, input: Partial<Parameters<typeof mergeChecks>[0]>) =>
  mergeChecks({ files: [file(1), file(2)], board: board(), recordingRoom: 1_000, now: 100_000, ...input }).find(
    (each) => each.name === name,
  )

it('passes files that fit, in the order of the tray', () => {
  const checks = mergeChecks({ files: [file(1), file(2)], board: board(), recordingRoom: 1_000, now: 0 })
  expect(checks.map(({ name, state }) => [name, state])).toEqual([
    ['mp4', 'ok'],
    ['codecs', 'ok'],
    ['running', 'ok'],
    ['calls', 'ok'],
    ['disk', 'ok'],
  ])
})

it('names the file that is FLV and the one with other codecs', () => {
  expect(check('mp4', { files: [file(1), file(2, { format: 'flv' })] })).toMatchObject({ state: 'fault', at: 2 })
  expect(check('codecs', { files: [file(1), file(2), file(3, { codecs: 'two' })] })).toMatchObject({
    state: 'fault',
    at: 3,
  })
})

it('counts running merges up to the limit, and finished ones not', () => {
  expect(check('running', { board: board({ tasks: [task(1), task(2), task(3, 'done')] }) })).toMatchObject({
    state: 'ok',
    used: 2,
  })
  expect(check('running', { board: board({ tasks: [task(1), task(2), task(3)] }) })).toMatchObject({
    state: 'fault',
    used: mergeLimits.atOnce,
  })
})

it('counts the calls of the last minute and says how long to wait for the eleventh', () => {
  const calls = Array.from({ length: 10 }, (_, index) => 64_000 + index)
  expect(check('calls', { board: board({ calls: [30_000, ...calls.slice(1)] }) })).toMatchObject({
    state: 'ok',
    used: 9,
  })
  expect(check('calls', { board: board({ calls }) })).toMatchObject({ state: 'fault', at: 24 })
})

it('wants room for the whole result', () => {
  expect(check('disk', { recordingRoom: 200 })).toMatchObject({ state: 'ok', used: 200, there: 200 })
  expect(check('disk', { recordingRoom: 199 })).toMatchObject({ state: 'fault', used: 200, there: 199 })
})

it('says what a hosted service leaves unknown instead of passing it', () => {
  const bare = file(1, { format: null, bytes: null, duration: null, codecs: null, merged: null })
  const checks = mergeChecks({ files: [bare], board: board({ tasks: null }), recordingRoom: null, now: 0 })
  expect(checks.map(({ state }) => state)).toEqual(['unknown', 'unknown', 'unknown', 'ok', 'unknown'])
  expect(totalLength([bare])).toBeNull()
  expect(tooLong([bare])).toBe(false)
})

it('takes four hours and not a millisecond more', () => {
  const half = mergeLimits.duration / 2
  expect(tooLong([file(1, { duration: half }), file(2, { duration: half })])).toBe(false)
  expect(tooLong([file(1, { duration: half }), file(2, { duration: half + 1 })])).toBe(true)
})

it('notes a file that is older than one before it', () => {
  expect(outOfOrder([file(1), file(2), file(3)])).toBeNull()
  expect(outOfOrder([file(2), file(3), file(1)])).toEqual({ file: 3, before: 1 })
})

it('moves a file by places and stops at the ends', () => {
  expect(moved([1, 2, 3], 2, 0)).toEqual([3, 1, 2])
  expect(moved([1, 2, 3], 0, -1)).toEqual([1, 2, 3])
  expect(moved([1, 2, 3], 2, 3)).toEqual([1, 2, 3])
})

it('takes a name without white space of at most 128 characters', () => {
  expect(outputNameFault('')).toBe('empty')
  expect(outputNameFault('精选_47')).toBeNull()
  expect(outputNameFault('two words')).toBe('space')
  expect(outputNameFault('x'.repeat(129))).toBe('long')
})

it('adds lengths and sizes, and knows no sum where one is not known', () => {
  const files = [file(1), file(2, { duration: 500, bytes: 7 })]
  expect([totalLength(files), totalBytes(files), totalLength([]), totalBytes([])]).toEqual([1_500, 107, 0, 0])
  expect([
    totalLength([file(1), file(2, { duration: null })]),
    totalBytes([file(1, { bytes: null }), file(2)]),
  ]).toEqual([null, null])
})

it('cannot merge FLV, and may merge what it does not know', () => {
  expect([file(1), file(1, { format: 'flv' }), file(1, { format: null })].map(unmergeable)).toEqual([null, 'flv', null])
})

it('takes ten calls a minute and names of 128 characters, as the service does', () => {
  expect([maxCalls, maxOutputName]).toEqual([10, 128])
  expect(outputNameFault('x'.repeat(128))).toBeNull()
  expect([outputNameFault('a\tb'), outputNameFault('a\u0000b')]).toEqual(['space', 'space'])
})

it('counts a call for sixty seconds, and not the one that is a minute old', () => {
  expect(check('calls', { board: board({ calls: [40_000, 40_001, 99_999] }) })).toMatchObject({ used: 2 })
  const calls = Array.from({ length: 10 }, () => 99_500)
  expect(check('calls', { board: board({ calls }) })).toMatchObject({ state: 'fault', at: 60 })
})

it('compares codecs with the first that are known, and names none where they are all alike', () => {
  const files = [file(1, { codecs: null }), file(2, { codecs: 'one' }), file(3, { codecs: 'two' })]
  expect(check('codecs', { files })).toMatchObject({ state: 'fault', at: 3 })
  expect(check('codecs', { files: files.slice(0, 2) })).toMatchObject({ state: 'unknown', at: null })
})

it('knows nothing of merges without a board', () => {
  expect(check('running', { board: null })).toMatchObject({ state: 'unknown', used: null })
  expect(check('calls', { board: null })).toMatchObject({ state: 'unknown', used: null })
})

it('compares times with those that are known alone', () => {
  expect(outOfOrder([file(1, { begin: null }), file(2)])).toBeNull()
  expect(outOfOrder([file(2), file(1, { begin: null })])).toBeNull()
  expect(outOfOrder([file(3), file(2), file(1)])).toEqual({ file: 2, before: 1 })
})

it('moves nothing from a place that is not there', () => {
  expect(moved([1, 2, 3], -1, 0)).toEqual([1, 2, 3])
  expect(moved([1, 2, 3], 3, 0)).toEqual([1, 2, 3])
  expect(moved([1, 2, 3], 0, 2)).toEqual([2, 3, 1])
})
