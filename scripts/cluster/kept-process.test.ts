import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until } from '../../service/testing/condition.ts'
import { endLeftover, keepProcess, logOf, type KeptProcess, type Program } from './kept-process.ts'

let folder: string
let kept: KeptProcess<string> | undefined
let said: string[]
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sidestage-kept-'))
  said = []
})
afterEach(async () => {
  await kept?.end()
  kept = undefined
  rmSync(folder, { recursive: true, force: true })
})

const say = (line: string): void => void said.push(line)
/** A shell that says something and then runs a command. */
const program = (then: string): Program<string> => ({
  name: 'one',
  command: ['bash', '-c', `echo begun; echo logged >&2; ${then}`],
  speaks: true,
  ready: async (child, signal) => String((await once(child.stdout!, 'data', { signal }))[0]).trim(),
  endBy: 'SIGTERM',
  patience: 10_000,
})
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
const marked = (): { pid: number; started: string } =>
  JSON.parse(readFileSync(path.join(folder, 'run', 'one.json'), 'utf8')) as { pid: number; started: string }

// Process ids are asked of /proc.
describe.runIf(process.platform === 'linux')('a kept process', () => {
  it('is started again when it was killed, logs to one file, and leaves nothing when it is ended', async () => {
    kept = await keepProcess(folder, program('exec sleep 1000'), say)
    const first = kept.pid()
    expect(kept.ready).toBe('begun')
    expect(marked().pid).toBe(first)
    const logged = (text: string): Promise<unknown> =>
      until(`${text} in its log`, () => readFileSync(logOf(folder, 'one'), 'utf8') === text)
    await logged('logged\n')
    process.kill(first, 'SIGKILL')
    await until('another one', () => kept!.pid() !== first && isAlive(kept!.pid()))
    const second = kept.pid()
    expect(marked().pid).toBe(second)
    await logged('logged\nlogged\n')
    expect(said).toEqual(['one ended (SIGKILL) and is started again'])
    await kept.end()
    expect(isAlive(second)).toBe(false)
    expect(marked).toThrow('ENOENT')
  })

  it('is started again at once when it has run for a while, and later when it ended soon after its start', async () => {
    let ran = 0
    const paused: number[] = []
    const times = {
      now: () => (ran += 400),
      pause: (ms: number) => (paused.push(ms), Promise.resolve()),
    }
    kept = await keepProcess(folder, program('exec sleep 1000'), say, times)
    const endAndSee = async (): Promise<void> => {
      const before = kept!.pid()
      process.kill(before, 'SIGKILL')
      await until('another one', () => kept!.pid() !== before && isAlive(kept!.pid()))
    }
    await endAndSee()
    expect(paused).toEqual([1000])
    ran += 1000
    await endAndSee()
    expect(paused).toEqual([1000])
  })

  it('that cannot start is told with its last words', async () => {
    await expect(
      keepProcess(folder, { ...program(''), command: ['bash', '-c', 'echo because >&2; exit 3'] }, say),
    ).rejects.toThrow('one ended with code 3 before it was ready:\nbecause')
    await expect(keepProcess(folder, { ...program(''), command: ['/nowhere/none'] }, say)).rejects.toThrow('ENOENT')
  })

  it('of an earlier start is ended, also one that does not listen, and never another with its id', async () => {
    const left = await keepProcess(folder, program('trap "" TERM; while :; do sleep 0.1; done'), say)
    const mark = marked()
    const other: ChildProcess = spawn('sleep', ['1000'])
    await once(other, 'spawn')
    const write = (of: object): void => writeFileSync(path.join(folder, 'run', 'one.json'), JSON.stringify(of))
    const asLeft = { name: 'one', endBy: 'SIGTERM', patience: 200 } as const
    // Both may have been started within one tick of the system's clock.
    write({ ...mark, pid: other.pid, started: `${mark.started} before` })
    await endLeftover(folder, asLeft, say)
    expect(isAlive(other.pid!)).toBe(true)
    expect(said).toEqual([])

    mkdirSync(path.join(folder, 'run'), { recursive: true })
    write(mark)
    await endLeftover(folder, asLeft, say)
    expect(said[0]).toBe(`one of an earlier start (process ${mark.pid}) is ended`)
    expect(isAlive(mark.pid) && left.pid() === mark.pid).toBe(false)
    other.kill('SIGKILL')
    await left.end()
  })
})
