import { expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { createFileSink } from './file-sink.ts'
import type { OpenFile } from './file-system.ts'

/** A file in memory: each call as text, and what the next calls do. */
function memoryFile() {
  const calls: string[] = []
  const state = {
    calls,
    bytes: Buffer.alloc(0),
    hold: undefined as Promise<void> | undefined,
    /** Bytes that the disk still takes. */
    room: Infinity,
    named: true,
    syncFault: undefined as Error | undefined,
  }
  const file: OpenFile = {
    async writev(parts, at) {
      await state.hold
      const whole = Buffer.concat(parts)
      const taken = whole.subarray(0, Math.min(whole.length, state.room))
      state.bytes = Buffer.concat([state.bytes.subarray(0, at), taken])
      calls.push(`write ${taken.length} at ${at}`)
      return taken.length
    },
    async datasync() {
      calls.push('sync')
      if (state.syncFault) throw state.syncFault
    },
    async truncate(length) {
      calls.push(`truncate ${length}`)
      state.bytes = state.bytes.subarray(0, length)
    },
    named: () => Promise.resolve(state.named),
    async close() {
      calls.push('close')
    },
  }
  return { file, state }
}
const gate = () => {
  let release = (): void => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  return { held, release: () => release() }
}
const text = (value: string): Buffer => Buffer.from(value)

it('writes what is queued in order, syncs, closes the file and returns its length', async () => {
  const { file, state } = memoryFile()
  const sink = createFileSink({ open: () => Promise.resolve(file), clock: manualClock() })
  expect(sink.write([text('one '), text('two ')])).toBe(true)
  expect(sink.write([text('three')])).toBe(true)
  expect(sink.bytes).toBe(13)
  expect(await sink.close()).toBe(13)
  expect(state.bytes.toString()).toBe('one two three')
  expect(state.calls.slice(-2)).toEqual(['sync', 'close'])
  expect(sink.write([text('late')])).toBe(false)
  expect(sink.bytes).toBe(13)
})

it('opens the file also when nothing is written, and closes it without a sync', async () => {
  const { file, state } = memoryFile()
  const sink = createFileSink({ open: () => Promise.resolve(file), clock: manualClock() })
  expect(await sink.close()).toBe(0)
  expect(state.calls).toEqual(['close'])
})

it('refuses the whole of a write that does not fit into the queue', async () => {
  const { file, state } = memoryFile()
  const { held, release } = gate()
  state.hold = held
  const sink = createFileSink({ open: () => Promise.resolve(file), clock: manualClock(), bound: 10 })
  expect(sink.write([text('12345')])).toBe(true)
  expect(sink.write([text('67890')])).toBe(true)
  expect(sink.write([text('x')])).toBe(false)
  expect(sink.bytes).toBe(10)
  release()
  await expect.poll(() => sink.write([text('abc')])).toBe(true)
  expect(await sink.close()).toBe(13)
  expect(state.bytes.toString()).toBe('1234567890abc')
})

it('copies a small part of a large piece of memory, so that the queue holds what it counts', async () => {
  const { file, state } = memoryFile()
  const { held, release } = gate()
  state.hold = held
  const sink = createFileSink({ open: () => Promise.resolve(file), clock: manualClock() })
  const large = Buffer.alloc(1_000_000, 'a')
  sink.write([large.subarray(0, 3)])
  large.fill('b')
  release()
  await sink.close()
  expect(state.bytes.toString()).toBe('aaa')
})

it('syncs at the interval and not at each write', async () => {
  const { file, state } = memoryFile()
  const clock = manualClock()
  const sink = createFileSink({ open: () => Promise.resolve(file), clock, syncEvery: 5000 })
  const syncs = (): number => state.calls.filter((call) => call === 'sync').length
  const written = async (bytes: number): Promise<void> => {
    sink.write([text('x')])
    await expect.poll(() => state.bytes.length).toBe(bytes)
  }
  await written(1)
  clock.advance(4999)
  await written(2)
  // The write after decides for the one before: they are made one at a time.
  expect(syncs()).toBe(0)
  clock.advance(1)
  await written(3)
  await expect.poll(syncs).toBe(1)
  clock.advance(4999)
  await written(4)
  await written(5)
  expect(syncs()).toBe(1)
  await sink.close()
  expect(syncs()).toBe(2)
})

it('keeps the writes that were complete when the disk is full, cuts off the rest, and reports it once', async () => {
  const { file, state } = memoryFile()
  const faults: unknown[] = []
  const { held, release } = gate()
  state.hold = held
  state.room = 7
  const sink = createFileSink({
    open: () => Promise.resolve(file),
    clock: manualClock(),
    failed: (error) => faults.push(error),
  })
  sink.write([text('1234')])
  sink.write([text('5678')])
  sink.write([text('9')])
  release()
  await expect.poll(() => faults).toMatchObject([{ code: 'ENOSPC' }])
  expect(state.calls).toEqual(['write 7 at 0', 'truncate 4'])
  expect(state.bytes.toString()).toBe('1234')
  expect(sink.write([text('more')])).toBe(false)
  await expect(sink.close()).rejects.toMatchObject({ code: 'ENOSPC' })
  expect(faults).toHaveLength(1)
  expect(state.calls.at(-1)).toBe('close')
})

it('reports a file that cannot be opened as a failed write', async () => {
  const faults: unknown[] = []
  const sink = createFileSink({
    open: () => Promise.reject(Object.assign(new Error('no folder'), { code: 'ENOENT' })),
    clock: manualClock(),
    failed: (error) => faults.push(error),
  })
  await expect.poll(() => faults).toMatchObject([{ code: 'ENOENT' }])
  expect(sink.write([text('x')])).toBe(false)
  await expect(sink.close()).rejects.toMatchObject({ code: 'ENOENT' })
})

it('reports a file that was removed while it is written, by the next sync', async () => {
  const { file, state } = memoryFile()
  const clock = manualClock()
  const faults: unknown[] = []
  const sink = createFileSink({ open: () => Promise.resolve(file), clock, failed: (error) => faults.push(error) })
  state.named = false
  clock.advance(5000)
  sink.write([text('x')])
  await expect.poll(() => faults).toMatchObject([{ code: 'ENOENT' }])
  await expect(sink.close()).rejects.toMatchObject({ code: 'ENOENT' })
})

it('rejects when the last sync fails, without reporting it twice', async () => {
  const { file, state } = memoryFile()
  const faults: unknown[] = []
  const sink = createFileSink({
    open: () => Promise.resolve(file),
    clock: manualClock(),
    failed: (error) => faults.push(error),
  })
  sink.write([text('x')])
  state.syncFault = new Error('the disk is gone')
  await expect(sink.close()).rejects.toThrow('the disk is gone')
  expect(faults).toEqual([])
  expect(state.calls.at(-1)).toBe('close')
})

it('takes 32 MiB that the disk has not written yet, and writes at most about 4 MiB at once', async () => {
  const { file, state } = memoryFile()
  const { held, release } = gate()
  state.hold = held
  const sink = createFileSink({ open: () => Promise.resolve(file), clock: manualClock() })
  const part = Buffer.alloc(1024 * 1024)
  for (let count = 0; count < 32; count++) expect(sink.write([part])).toBe(true)
  expect(sink.write([Buffer.alloc(1)])).toBe(false)
  release()
  expect(await sink.close()).toBe(32 * 1024 * 1024)
  const writes = state.calls.filter((call) => call.startsWith('write'))
  expect(writes).toEqual(
    Array.from({ length: 8 }, (_, index) => `write ${4 * 1024 * 1024} at ${index * 4 * 1024 * 1024}`),
  )
})

it('counts a write as queued until the disk has it, and not longer', async () => {
  const { file, state } = memoryFile()
  const sink = createFileSink({ open: () => Promise.resolve(file), clock: manualClock(), bound: 4 })
  for (let count = 1; count <= 5; count++) {
    expect(sink.write([text('1234')])).toBe(true)
    await expect.poll(() => state.bytes.length).toBe(4 * count)
  }
  expect(await sink.close()).toBe(20)
})

it('writes what is queued before it closes, and reports no failure of that', async () => {
  const { file, state } = memoryFile()
  const { held, release } = gate()
  state.hold = held
  state.room = 2
  const faults: unknown[] = []
  const sink = createFileSink({
    open: () => Promise.resolve(file),
    clock: manualClock(),
    failed: (error) => faults.push(error),
  })
  sink.write([text('1234')])
  const closed = expect(sink.close()).rejects.toMatchObject({ code: 'ENOSPC' })
  release()
  await closed
  expect([faults, state.calls]).toEqual([[], ['write 2 at 0', 'truncate 0', 'close']])
})

it('syncs every five seconds where no other interval is given', async () => {
  const { file, state } = memoryFile()
  const clock = manualClock()
  const sink = createFileSink({ open: () => Promise.resolve(file), clock })
  const syncs = (): number => state.calls.filter((call) => call === 'sync').length
  clock.advance(4999)
  sink.write([text('x')])
  await expect.poll(() => state.bytes.length).toBe(1)
  sink.write([text('x')])
  await expect.poll(() => state.bytes.length).toBe(2)
  expect(syncs()).toBe(0)
  clock.advance(1)
  sink.write([text('x')])
  await expect.poll(syncs).toBe(1)
  await sink.close()
})

it('keeps a write that the full disk took to its last byte', async () => {
  const { file, state } = memoryFile()
  state.room = 4
  const sink = createFileSink({ open: () => Promise.resolve(file), clock: manualClock() })
  sink.write([text('1234')])
  sink.write([text('5678')])
  await expect(sink.close()).rejects.toMatchObject({ code: 'ENOSPC' })
  expect([state.calls, state.bytes.toString()]).toEqual([['write 4 at 0', 'truncate 4', 'close'], '1234'])
})
