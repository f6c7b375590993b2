import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openQuarantine } from '../../platform/quarantine.ts'
import { sessionVault } from '../secrets/session-vault.ts'
import type { Vault } from '../secrets/vault.ts'
import { failureOf, scratch } from '../testing/rig.ts'
import { openObsSettings } from './obs-settings.ts'

const entry = 'test:obs'
let folder: ReturnType<typeof scratch>
let vault: Vault
beforeEach(() => {
  folder = scratch()
  vault = sessionVault({ kind: 'session', reason: 'chosen', detail: 'test' })
})
afterEach(() => folder[Symbol.dispose]())
const open = (tokens = vault) =>
  openObsSettings({ dataDir: folder.dir, vault: tokens, entryName: (name) => `test:${name}`, log: () => undefined })
const usual = { version: 1, host: '127.0.0.1', port: 4455, enabled: false, target: null }

it('begins with the defaults of obs-websocket, off and without a channel', async () => {
  expect((await open()).value()).toEqual(usual)
})

it('keeps what is changed beside what is not, also for the next start', async () => {
  const settings = await open()
  await settings.change({ port: 4456, enabled: true })
  const target = { profileId: 'local', cid: 'a'.repeat(32), digest: 'd' }
  await settings.change({ target })
  expect(settings.value()).toEqual({ ...usual, port: 4456, enabled: true, target })
  expect((await open()).value()).toEqual({ ...usual, port: 4456, enabled: true, target })
})

it.each([0, 65_536, 4_455.5])('takes no port %s from its file', async (port) => {
  writeFileSync(path.join(folder.dir, 'obs.json'), JSON.stringify({ ...usual, port }))
  expect((await open()).value()).toEqual(usual)
  expect(openQuarantine({ folder: folder.dir, now: Date.now }).list()).toMatchObject([{ paths: ['obs.json'] }])
})

it.each([1, 65_535])('takes port %s from its file', async (port) => {
  writeFileSync(path.join(folder.dir, 'obs.json'), JSON.stringify({ ...usual, port }))
  expect((await open()).value().port).toBe(port)
})

it('keeps the password in the vault with its host, and nothing of it in the file', async () => {
  const settings = await open()
  await settings.change({ host: 'studio.example' })
  await settings.keepPassword('studio.example', 'secret words')
  expect(JSON.parse((await vault.get(entry))!)).toEqual({ password: 'secret words', host: 'studio.example' })
  expect(readFileSync(path.join(folder.dir, 'obs.json'), 'utf8')).not.toContain('secret words')
  expect([await settings.password(), settings.passwordKept()]).toEqual(['secret words', 'session'])
})

it('does not read the keychain before a password is needed, and says until then that none is kept', async () => {
  await (await open()).keepPassword('127.0.0.1', 'secret words')
  let asked = 0
  const counted = {
    ...vault,
    get: (account: string) => {
      asked++
      return vault.get(account)
    },
  }
  const settings = await open(counted)
  expect([asked, settings.passwordKept()]).toEqual([0, 'none'])
  expect(await settings.password()).toBe('secret words')
  expect([asked, settings.passwordKept()]).toEqual([1, 'session'])
})

it('gives no password that was kept for another host, and says that none is kept', async () => {
  const settings = await open()
  await settings.keepPassword('127.0.0.1', 'secret words')
  await settings.change({ host: 'elsewhere.example' })
  expect([await settings.password(), settings.passwordKept()]).toEqual([undefined, 'none'])
})

it('gives no password of an entry with another shape', async () => {
  await vault.set(entry, JSON.stringify({ password: 7, host: '127.0.0.1' }))
  expect(await (await open()).password()).toBeUndefined()
})

it('deletes the password from the vault when it is null', async () => {
  const settings = await open()
  await settings.keepPassword('127.0.0.1', 'secret words')
  await settings.keepPassword('127.0.0.1', null)
  expect([await vault.get(entry), settings.passwordKept(), await settings.password()]).toEqual([
    undefined,
    'none',
    undefined,
  ])
})

it('says that the keychain refused a password, and that none is kept', async () => {
  const settings = await open({ ...vault, set: () => Promise.reject(new Error('locked')) })
  expect(await failureOf(settings.keepPassword('127.0.0.1', 'secret words'))).toMatchObject({
    kind: 'keychain',
    detail: 'locked',
  })
  expect(settings.passwordKept()).toBe('none')
})
