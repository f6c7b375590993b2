import { expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import type { RecordingRow } from './files-store.ts'
import { maxMergeDuration } from './merge-sources.ts'
import { createMerges, mergesAtOnce, type MergesOptions } from './merges.ts'
import type { SpanOutcome, SpanStart, Spans } from '../tracing/spans.ts'
import type { MergeRow } from './merges-store.ts'
import type { WorkResult } from './work.ts'
import { WorkFault } from './workers.ts'

const cid = 'c'.repeat(32)
const rowOf = (vid: number, values: Partial<RecordingRow> = {}): RecordingRow => ({
  vid,
  cid,
  uid: 1,
  state: 'ready',
  format: 0,
  merged: 0,
  slice: 0,
  beginTime: 0,
  endTime: 0,
  completed: 0,
  filename: '',
  name: '',
  fileKey: '',
  bytes: 100 * vid,
  duration: 1000,
  codecs: 'avc1',
  node: '',
  ...values,
})

/** Merges over rows in memory, and what they did in order. */
function made(
  rows: readonly RecordingRow[],
  { resumed = [] as readonly MergeRow[], room = 1e9, spans = undefined as Spans | undefined } = {},
) {
  const done: unknown[] = []
  const warned: object[] = []
  const state = {
    room,
    listed: true,
    size: (_path: string): number | undefined | Promise<number> => 1,
    run: (_work: unknown): Promise<WorkResult> => Promise.resolve({ bytes: 300, duration: 2000 }),
    failing: undefined as Error | undefined,
    /** Progress and signal of the last work. */
    progress: (_done: number): void => undefined,
    signal: undefined as AbortSignal | undefined,
  }
  const tasks: MergeRow[] = []
  const transaction = {} as Parameters<Parameters<MergesOptions['files']['complete']>[1]>[0]
  const clock = manualClock()
  const merges = createMerges({
    files: {
      async ready(vids: readonly number[]) {
        done.push(['ready', ...vids])
        // In any order.
        return rows.filter(({ vid }) => vids.includes(vid)).toReversed()
      },
      async complete(file, also) {
        done.push(['complete', file])
        if (state.listed) await also(transaction)
        return state.listed
      },
    } as Partial<MergesOptions['files']> as MergesOptions['files'],
    tasks: {
      async add(task, vids, file) {
        const row: MergeRow = {
          cut: '',
          ...task,
          taskId: tasks.length + 1,
          vid: 900 + tasks.length,
          vidList: JSON.stringify(vids),
          state: 'running',
          reason: '',
          attempts: 1,
          node: '',
        }
        tasks.push(row)
        done.push(['add', task, vids, file])
        return row
      },
      async fail({ taskId }, to, reason) {
        done.push(['fail', taskId, to, reason])
        if (state.failing) throw state.failing
      },
      async done(given, taskId) {
        done.push(['done', given === transaction, taskId])
      },
      resume: () => Promise.resolve([...resumed]),
      list: () => Promise.resolve(tasks.toReversed()),
    },
    disk: {
      size: async (path) => state.size(path),
      remove: async (path) => void done.push(['remove', path]),
    },
    folder: {
      file: ({ vid, format }: { vid: number; format: number }) => `${vid}.${format}`,
      temporary: ({ vid }: { vid: number }) => `${vid}.part`,
    } as Partial<MergesOptions['folder']> as MergesOptions['folder'],
    workers: {
      run(work, options = {}) {
        done.push(['work', work])
        state.progress = (at) => options.progress?.(at)
        state.signal = options.signal
        return state.run(work)
      },
    },
    space: () => state.room,
    clock,
    listener: {
      enqueue: async (given, { vid }) => void done.push(['enqueue', given === transaction, vid]),
      onFile: ({ vid }, merged) => done.push(['onFile', vid, merged]),
    },
    log: { info: () => undefined, warn: (details) => warned.push(details) },
    spans,
  })
  const named = (name: string): unknown[][] => (done as unknown[][]).filter(([what]) => what === name)
  return { merges, done, named, state, tasks, warned, clock }
}
/** Work that ends when a test says so, or is stopped. */
function gate() {
  const { promise, resolve, reject } = Promise.withResolvers<WorkResult>()
  promise.catch(() => undefined)
  return { run: () => promise, resolve, reject }
}
const stoppable = (state: ReturnType<typeof made>['state']) => (): Promise<WorkResult> =>
  new Promise((_resolve, reject) => {
    const stop = (): void => reject(new WorkFault('ABORT_ERR', 'stopped'))
    if (state.signal?.aborted) stop()
    state.signal?.addEventListener('abort', stop)
  })
const ended = (bench: ReturnType<typeof made>, count = 1) =>
  expect.poll(() => bench.named('onFile').length + bench.named('fail').length).toBe(count)

it('a merge takes the files in the order given, and stores task and file before its work begins', async () => {
  const bench = made([rowOf(1), rowOf(2, { cid: 'd'.repeat(32), duration: 500 })])
  const { merges, done, clock } = bench
  expect(await merges.begin(1, 'both', [2, 1, 2])).toBeUndefined()
  await ended(bench)
  const now = clock.now()
  const of = 'd'.repeat(32)
  const file = {
    vid: 900,
    cid: of,
    uid: 1,
    name: 'both',
    key: `${of}_${now}_${now}_900-00000.mp4`,
    begin: now,
    end: now,
    completed: now,
    format: 'mp4',
    bytes: 300,
    duration: 2000,
    merged: true,
  }
  expect(done).toEqual([
    ['ready', 2, 1],
    [
      'add',
      // All that is copied: a repeated file counts each time.
      { uid: 1, outputName: 'both', total: 500, created: now },
      [2, 1, 2],
      {
        cid: of,
        uid: 1,
        state: 'merging',
        format: 0,
        merged: 1,
        slice: 0,
        beginTime: now,
        filename: 'both',
        codecs: 'avc1',
      },
    ],
    ['ready', 2, 1],
    ['work', { kind: 'merge', sources: ['2.0', '1.0', '2.0'], temporary: '900.part', target: '900.0' }],
    ['complete', file],
    ['done', true, 1],
    ['enqueue', true, 900],
    ['onFile', 900, true],
  ])
  expect(merges.uses(1)).toBe(false)
})

it('a merge is refused, in this order, for a missing file or source, FLV, other codecs, and over 4 hours', async () => {
  const { merges, state, named } = made([
    rowOf(1),
    rowOf(2, { uid: 2 }),
    rowOf(3, { format: 1, codecs: 'other' }),
    rowOf(4, { codecs: 'other', duration: maxMergeDuration }),
    rowOf(5, { duration: maxMergeDuration - 1000 }),
  ])
  const refused = (vids: readonly number[]) => merges.begin(1, 'm', vids)
  expect(await refused([1, 9, 3])).toEqual({ kind: 'missing', reason: 'there is no file 9' })
  expect(await refused([1, 2])).toEqual({ kind: 'missing', reason: 'there is no file 2' })
  state.size = (path) => (path === '3.1' ? undefined : 1)
  expect(await refused([1, 3])).toEqual({ kind: 'missing', reason: 'the file 3 is not on the disk any more' })
  state.size = () => 0
  expect(await refused([1, 4, 3])).toEqual({ kind: 'unfit', reason: 'the file 3 is not MP4' })
  expect(await refused([1, 5, 4])).toEqual({
    kind: 'unfit',
    reason: 'the file 4 has other codecs or another format than the first one',
  })
  expect(await refused([5, 1, 1])).toEqual({ kind: 'unfit', reason: 'the files are longer than 4 hours in all' })
  expect(named('add')).toEqual([])
  expect(await refused([5, 1])).toBeUndefined()
})

it('three merges of an application run at once, whatever another one has', async () => {
  const bench = made([rowOf(1), rowOf(2, { uid: 2 })])
  const { merges, state } = bench
  const { run, resolve } = gate()
  state.run = run
  for (let count = 0; count < mergesAtOnce; count++) expect(await merges.begin(1, 'm', [1])).toBeUndefined()
  expect(await merges.begin(1, 'm', [1])).toEqual({ kind: 'busy', reason: '3 merges are running' })
  expect(await merges.begin(2, 'm', [2])).toBeUndefined()
  resolve({ bytes: 1, duration: 1 })
  await ended(bench, 4)
  expect(await merges.begin(1, 'm', [1])).toBeUndefined()
  await ended(bench, 5)
})

it('a merge is listed with how far it is, never beyond its total, and with all when it is done', async () => {
  const bench = made([rowOf(1), rowOf(2)])
  const { merges, state, tasks } = bench
  const { run, resolve } = gate()
  state.run = run
  await merges.begin(1, 'm', [1, 2])
  await expect.poll(() => bench.named('work').length).toBe(1)
  const figures = async () => (await merges.list(1)).map(({ done, total }) => [done, total])
  expect(await figures()).toEqual([[0, 300]])
  state.progress(120)
  expect(await figures()).toEqual([[120, 300]])
  state.progress(400)
  expect(await figures()).toEqual([[300, 300]])
  resolve({ bytes: 1, duration: 1 })
  await ended(bench)
  tasks[0] = { ...tasks[0]!, state: 'failed', reason: '{"code":"room","params":{}}' }
  expect(await merges.list(1)).toEqual([
    {
      taskId: 1,
      outputName: 'm',
      state: 'failed',
      reason: { code: 'room', params: {} },
      done: 0,
      total: 300,
      vid: 900,
      clip: false,
    },
  ])
  tasks[0] = { ...tasks[0]!, state: 'done', reason: '' }
  expect(await merges.list(1)).toEqual([
    { taskId: 1, vid: 900, outputName: 'm', state: 'done', done: 300, total: 300, clip: false },
  ])
})

it.each([
  ['ENOSPC', 'room'],
  ['EDQUOT', 'room'],
  ['EROFS', 'readonly'],
  ['EACCES', 'readonly'],
  ['EPERM', 'readonly'],
  ['ENOENT', 'source'],
  ['SOURCE', 'source'],
  ['BROKEN', 'damaged'],
])(
  'a merge whose work fails with %s fails with the reason %s, and what was written is deleted',
  async (code, reason) => {
    const bench = made([rowOf(1)])
    bench.state.run = () => Promise.reject(new WorkFault(code, 'no'))
    await bench.merges.begin(1, 'm', [1])
    await ended(bench)
    expect(bench.done.slice(-3)).toEqual([
      ['remove', '900.part'],
      ['remove', '900.0'],
      ['fail', 1, 'failed', { code: reason, params: {} }],
    ])
    expect(bench.warned).toMatchObject([{ taskId: 1, err: { code } }])
    expect(bench.merges.uses(1)).toBe(false)
  },
)

it('a merge that fails names the code of another error of the disk, and calls everything else a fault', async () => {
  const bench = made([rowOf(1)])
  const faults = [new WorkFault('EIO', 'no'), new WorkFault('toString', 'no'), new Error('EIO')]
  bench.state.run = () => Promise.reject(faults.shift()!)
  for (let count = 1; count <= 3; count++) {
    await bench.merges.begin(1, 'm', [1])
    await ended(bench, count)
  }
  expect(bench.named('fail').map(([, , , reason]) => reason)).toEqual([
    { code: 'disk', params: { system: 'EIO' } },
    { code: 'disk', params: { system: 'toString' } },
    { code: 'fault', params: {} },
  ])
})

it('each merge is a span, with why it failed', async () => {
  const seen: (SpanStart | SpanOutcome)[] = []
  const spans: Spans = {
    async within(start, work, outcome) {
      seen.push(start)
      const result = await work()
      seen.push(outcome(result))
      return result
    },
  }
  const bench = made([rowOf(1)], { spans })
  await bench.merges.begin(1, 'm', [1, 1])
  await ended(bench)
  bench.state.run = () => Promise.reject(new Error('no'))
  await bench.merges.begin(1, 'm', [1])
  await ended(bench, 2)
  await expect.poll(() => seen).toHaveLength(4)
  const merge = { name: 'merge', kind: 'internal' }
  expect(seen).toEqual([
    { ...merge, attributes: { 'sidestage.merge.id': 1, 'sidestage.merge.files': 2 } },
    { attributes: { 'sidestage.merge.bytes': 0 }, fault: undefined },
    { ...merge, attributes: { 'sidestage.merge.id': 2, 'sidestage.merge.files': 1 } },
    { attributes: { 'sidestage.merge.bytes': 0 }, fault: 'fault' },
  ])
})

it('a merge takes exactly the room that there is, and fails with a byte less', async () => {
  const bench = made([rowOf(1)], { room: 100 })
  await bench.merges.begin(1, 'm', [1])
  await ended(bench)
  expect(bench.named('onFile')).toHaveLength(1)
  bench.state.room = 99
  await bench.merges.begin(1, 'm', [1])
  await ended(bench, 2)
  expect(bench.named('work')).toHaveLength(1)
  expect(bench.named('fail')).toEqual([['fail', 2, 'failed', { code: 'room', params: {} }]])
})

const interrupted = (attempts: number, values: Partial<MergeRow> = {}): MergeRow => ({
  taskId: 7,
  uid: 1,
  vid: 950,
  outputName: 'm',
  vidList: '[1,1]',
  state: 'running',
  reason: '',
  attempts,
  node: '',
  created: 0,
  total: 200,
  cut: '',
  ...values,
})

it('a merge that was interrupted is taken up with its sources and number, up to the third attempt', async () => {
  const third = made([rowOf(1)], { resumed: [interrupted(3)] })
  await third.merges.start()
  await ended(third)
  expect(third.named('work')).toEqual([
    ['work', { kind: 'merge', sources: ['1.0', '1.0'], temporary: '950.part', target: '950.0' }],
  ])
  expect(third.named('onFile')).toEqual([['onFile', 950, true]])
  const fourth = made([rowOf(1)], { resumed: [interrupted(4)] })
  await fourth.merges.start()
  await ended(fourth)
  expect([fourth.named('work'), fourth.named('fail')]).toEqual([
    [],
    [['fail', 7, 'failed', { code: 'attempts', params: {} }]],
  ])
})

it('a merge that was interrupted and whose source is gone fails, and nothing is deleted for it', async () => {
  const bench = made([], { resumed: [interrupted(2)] })
  await bench.merges.start()
  await ended(bench)
  expect(bench.named('fail')).toEqual([['fail', 7, 'failed', { code: 'source', params: {} }]])
  expect(bench.named('remove')).toEqual([])
})

it('a merge is cancelled for its application alone, which is told once all is undone', async () => {
  const bench = made([rowOf(1)])
  const { merges, state } = bench
  state.run = stoppable(state)
  await merges.begin(1, 'm', [1])
  await expect.poll(() => bench.named('work').length).toBe(1)
  expect(await merges.cancel(2, 1)).toBe('foreign')
  expect(await merges.cancel(1, 2)).toBe('unknown')
  expect([merges.uses(1), merges.uses(2), state.signal!.aborted]).toEqual([true, false, false])
  expect(await merges.cancel(1, 1)).toBeUndefined()
  expect(bench.done.slice(-3)).toEqual([
    ['remove', '900.part'],
    ['remove', '900.0'],
    ['fail', 1, 'cancelled', { code: 'cancelled', params: {} }],
  ])
  expect([bench.warned, merges.uses(1)]).toEqual([[], false])
  expect(await merges.cancel(1, 1)).toBe('unknown')
})

it('a merge that closing stops is left for the next start, but not one that was cancelled', async () => {
  const bench = made([rowOf(1)])
  const { merges, state } = bench
  state.run = stoppable(state)
  await merges.begin(1, 'm', [1])
  await expect.poll(() => bench.named('work').length).toBe(1)
  await merges.close()
  expect(bench.named('remove')).toHaveLength(2)
  expect([bench.named('fail'), bench.warned]).toEqual([[], []])
  const other = made([rowOf(1)])
  other.state.run = stoppable(other.state)
  await other.merges.begin(1, 'm', [1])
  await expect.poll(() => other.named('work').length).toBe(1)
  const cancelled = other.merges.cancel(1, 1)
  await other.merges.close()
  await cancelled
  expect(other.named('fail')).toMatchObject([['fail', 1, 'cancelled', {}]])
})

it('a merge calls back no file that was listed before', async () => {
  const bench = made([rowOf(1)])
  bench.state.listed = false
  await bench.merges.begin(1, 'm', [1])
  await expect.poll(() => bench.merges.uses(1)).toBe(false)
  expect(bench.named('complete')).toHaveLength(1)
  expect([bench.named('enqueue'), bench.named('onFile'), bench.named('fail')]).toEqual([[], [], []])
})

it('a merge is over also where its end cannot be stored, which is logged', async () => {
  const bench = made([rowOf(1)])
  bench.state.run = () => Promise.reject(new WorkFault('EIO', 'no'))
  bench.state.failing = new Error('no database')
  await bench.merges.begin(1, 'm', [1])
  await expect.poll(() => bench.merges.uses(1)).toBe(false)
  expect(bench.warned).toMatchObject([{ err: { code: 'EIO' } }, { taskId: 1, err: { message: 'no database' } }])
})

it('a merge that is asked for while it closes is stored, stopped, and left for the next start', async () => {
  const bench = made([rowOf(1)])
  const { merges, state } = bench
  const disk = Promise.withResolvers<number>()
  state.size = () => disk.promise
  state.run = stoppable(state)
  const beginning = merges.begin(1, 'm', [1])
  const closing = merges.close()
  disk.resolve(1)
  expect(await beginning).toBeUndefined()
  await closing
  expect([bench.named('add').length, bench.named('fail'), merges.uses(1)]).toEqual([1, [], false])
})
