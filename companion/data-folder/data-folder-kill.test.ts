import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { digestsOf, fillData, openDataFolder } from '../testing/data-stage.ts'
import { scratch } from '../testing/rig.ts'
import { openComputerDocument } from '../this-computer/computer-document.ts'
import { markName } from './folder-content.ts'

const worker = fileURLToPath(new URL('../testing/move-child.ts', import.meta.url))
const phases = ['begun', 'stopping', 'copying', 'checking', 'switching', 'ended'] as const

it('leaves all data in exactly one folder, and nothing half lying about, after a kill -9 at any moment of a move', async () => {
  using folder = scratch()
  const home = path.join(folder.dir, 'app')
  mkdirSync(home)
  const usual = path.join(home, 'service')
  fillData(usual, 12, 400_000)
  const whole = digestsOf(usual)
  const seen = new Set<string>()
  // Every phase, and a little later in it each time.
  for (let round = 0; round < 12; round++) {
    const begin = await openDataFolder(home)
    await begin.resume()
    const from = begin.path()
    const to = path.join(folder.dir, `disk ${round}`)
    if (begin.state().old) await begin.removeOld(false)
    const child = fork(worker, [home, to], { execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
    const gone = once(child, 'exit')
    const wanted = phases[round % phases.length]
    child.on('message', (phase) => {
      if (phase === wanted) setTimeout(() => child.kill('SIGKILL'), Math.floor(round / phases.length) * 7)
    })
    await gone
    // The place of the data outlives the file that says it, whatever the moment.
    const document = path.join(home, 'computer.json')
    if (round % 2 === 1 && existsSync(document)) writeFileSync(document, '{"version": 1, "folder"')
    const left = await openDataFolder(home)
    await left.present()
    const now = left.path()
    expect([from, to]).toContain(now)
    // Before anything is cleared: the folder that is used is whole.
    expect(digestsOf(now)).toEqual(whole)
    await left.resume()
    expect(digestsOf(now)).toEqual(whole)
    expect(existsSync(path.join(now, markName))).toBe(false)
    expect((await openComputerDocument(home)).value().moving).toBeNull()
    if (now === to) expect(left.state().old?.path).toBe(from)
    else expect(existsSync(to)).toBe(false)
    seen.add(now === to ? 'moved' : 'stayed')
  }
  expect([...seen].sort()).toEqual(['moved', 'stayed'])
})
