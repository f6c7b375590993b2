import { randomBytes } from 'node:crypto'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ThisComputer } from '../../contract/rpc/index.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { databaseName } from '../data-folder/folder-content.ts'
import { sessionVault } from '../secrets/session-vault.ts'
import { fillData, installation } from '../testing/data-stage.ts'
import { failureOf, scratch, until } from '../testing/rig.ts'
import { openComputerDocument } from './computer-document.ts'
import { type Computer, createComputer, type MoveBlocker } from './this-computer.ts'

const at = (port: number) => ({ host: '127.0.0.1', port })
let folder: ReturnType<typeof scratch>
let home: string
let told: ThisComputer[]
let said: unknown[]
let blocker: MoveBlocker | undefined
const opened: Computer[] = []
const clock = manualClock()
beforeEach(() => {
  folder = scratch()
  home = path.join(folder.dir, 'app')
  mkdirSync(home)
  told = []
  said = []
  blocker = undefined
})
afterEach(async () => {
  for (const computer of opened.splice(0)) await computer.close()
  folder[Symbol.dispose]()
})

const open = async (more: Partial<Parameters<typeof createComputer>[0]> = {}): Promise<Computer> => {
  const computer = createComputer({
    vault: sessionVault({ kind: 'session', reason: 'chosen', detail: 'test' }),
    platform: 'linux',
    entryName: (name) => `${installation}:${name}`,
    profiles: () => ['local'],
    home,
    given: { dataDir: path.join(home, 'service'), api: at(1001), media: at(1002), rtmp: at(1003) },
    named: { data: false, ports: [] },
    store: await openComputerDocument(home),
    clock,
    random: randomBytes,
    supervisor: {
      hold: () => {
        said.push('hold')
        return Promise.resolve()
      },
      release: (change) => {
        said.push(change)
        return Promise.resolve()
      },
      change: (change) => {
        said.push(change)
        return Promise.resolve()
      },
      ready: () => undefined,
    },
    runs: () => Promise.resolve(true),
    onAir: () => false,
    holder: () => undefined,
    blocker: () => Promise.resolve(blocker),
    changed: (state) => told.push(state),
    log: (line) => said.push(line),
    ...more,
  })
  opened.push(computer)
  return computer
}

it('tells folder, ports and zone as they are and as they are without a choice', async () => {
  const computer = await open({ named: { data: true, ports: ['media'] } })
  const usual = path.join(home, 'service')
  expect(computer.state()).toEqual({
    folder: { path: usual, usual, named: true, present: true, old: null },
    move: null,
    moved: null,
    ports: [
      { listener: 'api', usual: 1001, chosen: null, named: false },
      { listener: 'media', usual: 1002, chosen: null, named: true },
      { listener: 'rtmp', usual: 1003, chosen: null, named: false },
    ],
    timeZone: { chosen: null, system: Intl.DateTimeFormat().resolvedOptions().timeZone },
  })
  expect(computer.choices()).toMatchObject({ dataDir: usual, api: { port: 1001 } })
  expect(computer.folder()).toBe(usual)
})

it('tells the state after each setting, also one that was refused', async () => {
  const computer = await open()
  await computer.setTimeZone({ timeZone: 'UTC', evenOnAir: false })
  expect(told.at(-1)?.timeZone.chosen).toBe('UTC')
  await computer.setPorts({ api: 7, media: 7, rtmp: null, evenOnAir: false })
  expect(told).toHaveLength(2)
  expect(said).toEqual([expect.objectContaining({ timeZone: 'UTC' })])
})

it.each(['onAir', 'recording', 'merging'] as const)('begins no move while one is hindered: %s', async (what) => {
  fillData(path.join(home, 'service'))
  const computer = await open()
  const { handle } = await computer.typeFolder({ path: path.join(folder.dir, 'big') })
  blocker = what
  expect(await computer.moveFolder({ handle: handle! })).toEqual({ begun: false, refused: what })
  expect(said).toEqual([])
})

it('moves the data where that was planned, says how it goes, and has nothing planned after that', async () => {
  fillData(path.join(home, 'service'))
  const computer = await open()
  const to = path.join(folder.dir, 'big')
  const { handle } = await computer.typeFolder({ path: to })
  expect(await computer.moveFolder({ handle: 'guessed' })).toEqual({ begun: false, refused: 'unknown' })
  expect(await computer.moveFolder({ handle: handle! })).toEqual({ begun: true, refused: null })
  expect(await computer.moveFolder({ handle: handle! })).toEqual({ begun: false, refused: 'moving' })
  await until('the move', () => computer.state().moved?.outcome === 'moved' && computer.state().move === null)
  expect(said.filter((one) => typeof one === 'object' || one === 'hold')).toEqual(['hold', { dataDir: to }])
  expect(told.some(({ move }) => move !== null)).toBe(true)
  expect(computer.state().folder).toMatchObject({ path: to, old: { path: path.join(home, 'service') } })
  expect(await computer.moveFolder({ handle: handle! })).toEqual({ begun: false, refused: 'old' })
  expect(computer.cancelMove()).toEqual({ done: false })
  expect(await computer.removeOldCopy({ keep: true })).toEqual({ done: true })
  expect(await computer.removeOldCopy({ keep: true })).toEqual({ done: false })
})

it('tells when the data are away and when they are back', async () => {
  const to = path.join(folder.dir, 'big')
  mkdirSync(to)
  writeFileSync(path.join(to, databaseName), '')
  await (await openComputerDocument(home)).change({ folder: to })
  const computer = await open()
  await computer.present()
  expect(told).toEqual([])
  expect(await computer.useUsualFolder()).toEqual({ done: false })
  renameSync(to, `${to} away`)
  for (let times = 0; times < 2; times++) await expect(computer.present()).rejects.toThrow()
  expect(told.map((state) => state.folder.present)).toEqual([false])
  renameSync(`${to} away`, to)
  await computer.present()
  expect(told.map((state) => state.folder.present)).toEqual([false, true])
  rmSync(to, { recursive: true })
  await expect(computer.present()).rejects.toThrow()
  expect(await failureOf(computer.folderUse())).toMatchObject({ kind: 'folder' })
  expect(await computer.useUsualFolder()).toEqual({ done: true })
  expect(computer.folder()).toBe(path.join(home, 'service'))
})

it('shows the database in its folder, and has a folder chosen, where the shell can', async () => {
  const without = await open()
  expect((await failureOf((async () => without.showFolder())())).kind).toBe('absent')
  expect((await failureOf(without.chooseFolder())).kind).toBe('absent')
  const shown: string[] = []
  let chosen: string | undefined
  const computer = await open({ showFile: (file) => shown.push(file), chooseFolder: () => Promise.resolve(chosen) })
  computer.showFolder()
  expect(shown).toEqual([path.join(home, 'service', databaseName)])
  expect(await computer.chooseFolder()).toBeNull()
  chosen = path.join(folder.dir, 'chosen')
  expect(await computer.chooseFolder()).toMatchObject({ path: chosen })
  expect((await failureOf((async () => computer.typeFolder({ path: chosen! }))())).kind).toBe('absent')
})

it('tries the keychain with the time that it took, and removes what removed profiles left', async () => {
  const vault = {
    ...sessionVault({ kind: 'session', reason: 'chosen', detail: 'test' }),
    test: () => {
      clock.advance(1_234)
      return Promise.resolve({ kind: 'keychain' } as const)
    },
  }
  await vault.set(`${installation}:${'1'.repeat(16)}`, 'left')
  await vault.set(`${installation}:local`, 'own')
  const computer = await open({ vault })
  expect(await computer.testSecrets()).toEqual({
    mode: { kind: 'keychain', reason: null, detail: null },
    milliseconds: 1_234,
  })
  expect((await computer.secrets()).entries).toEqual([
    { kind: 'own', count: 1 },
    { kind: 'left', count: 1 },
  ])
  expect((await computer.removeLeftSecrets()).entries).toEqual([{ kind: 'own', count: 1 }])
})
