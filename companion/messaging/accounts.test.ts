import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LinkPush } from '../../contract/link/frames.ts'
import { accounts, local, messages } from '../../contract/operations/index.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import type { Client } from '../client/client.ts'
import type { Vault } from '../secrets/vault.ts'
import { failureOf, scratch, until } from '../testing/rig.ts'
import { openKnownAccounts } from './known-accounts.ts'
import { openMessaging, type Messaging } from './messaging.ts'
import { isLocal } from '../profiles/profiles.ts'

let place: ReturnType<typeof scratch>
let held: Map<string, string>
let refusesVault: boolean
let calls: { readonly profileId: string; readonly path: string; readonly args: unknown }[]
let answers: Record<string, (args: never) => unknown>
let log: string[]
let opened: string[]
let pushed: [string, string, LinkPush][]
let events: { opened(): void; text(text: string): void } | undefined
let messaging: Messaging | undefined
const entries = (): [string, string][] => [...held].sort(([a], [b]) => (a < b ? -1 : 1))

const open = async (): Promise<Messaging> => {
  const refused = <T>(work: () => T): Promise<T> =>
    refusesVault ? Promise.reject(new Error('the keychain is locked')) : Promise.resolve(work())
  const vault: Vault = {
    mode: { kind: 'keychain' },
    get: (name) => refused(() => held.get(name)),
    set: (name, secret) => refused(() => void held.set(name, secret)),
    delete: (name) => refused(() => void held.delete(name)),
    names: () => refused(() => [...held.keys()]),
    test: () => Promise.resolve({ kind: 'keychain' }),
  }
  messaging = await openMessaging({
    dataDir: place.dir,
    vault,
    clock: manualClock(),
    random: randomBytes,
    client: (profileId) =>
      Promise.resolve({
        call: async (operation: { path: string }, args: never) => {
          calls.push({ profileId, path: operation.path, args })
          return answers[operation.path]?.(args)
        },
      } as unknown as Client),
    isExtended: isLocal,
    entryName: (name) => `here:${name}`,
    log: (line) => void log.push(line),
    openSocket: (url, heard) => {
      opened.push(url)
      events = heard
      return {
        send: (text) => {
          const { id, t } = JSON.parse(text) as { id: number; t: string }
          const login = { accid: '', time: 0, seq: 1, unread: 0, donnop: false, others: [] }
          const answer = t === 'sync' ? { events: [], seq: 1, more: false } : t === 'login' ? login : {}
          queueMicrotask(() => heard.text(JSON.stringify({ t: 'ok', id, ...answer })))
        },
        close: () => undefined,
      }
    },
    changed: () => undefined,
    pushed: (...push) => void pushed.push(push),
  })
  return messaging
}
let tokens: number
beforeEach(() => {
  place = scratch()
  held = new Map()
  refusesVault = false
  calls = []
  log = []
  opened = []
  pushed = []
  tokens = 0
  answers = {
    [accounts.create.path]: ({ accid }: { accid: string }) => ({
      info: { accid: accid.toLowerCase(), name: 'Name', token: `made ${++tokens}` },
    }),
    [accounts.refreshToken.path]: ({ accid }: { accid: string }) => ({ info: { accid, token: `new ${++tokens}` } }),
  }
})
afterEach(() => {
  messaging?.close()
  place[Symbol.dispose]()
})
const link = { url: 'ws://127.0.0.1:1/link', appKey: 'key' }

describe('accounts of a hosted service', () => {
  it('are found by part of their id or name among those known here, 100 at a time in order', async () => {
    const known = await openKnownAccounts(place.dir)
    await known.note({ profileId: 'h', accid: 'mei', name: 'Host Two' })
    await known.note({ profileId: 'h', accid: 'ana', name: 'Other' })
    await known.note({ profileId: 'other', accid: 'host', name: '' })
    const { accounts: list } = await open()
    const nothingMore = { blocked: null, online: null }
    expect(await list('h', 'HOST', '')).toEqual({
      complete: false,
      accounts: [{ accid: 'mei', name: 'Host Two', ...nothingMore }],
    })
    expect(await list('h', 'an', '')).toMatchObject({ accounts: [{ accid: 'ana' }] })
    expect((await list('h', '', '')).accounts.map(({ accid }) => accid)).toEqual(['ana', 'mei'])
    expect((await list('h', '', 'ana')).accounts.map(({ accid }) => accid)).toEqual(['mei'])
    expect(calls).toEqual([])
  })

  it('are listed 100 at a time', async () => {
    const known = Array.from({ length: 101 }, (_, n) => ({
      profileId: 'h',
      accid: `a${String(n).padStart(3, '0')}`,
      name: '',
      signedIn: false,
    }))
    writeFileSync(path.join(place.dir, 'accounts.json'), JSON.stringify({ version: 1, accounts: known.reverse() }))
    const { accounts: list } = await open()
    const first = await list('h', '', '')
    expect([first.accounts.length, first.accounts[0]?.accid, first.accounts.at(-1)?.accid]).toEqual([
      100,
      'a000',
      'a099',
    ])
  })

  it('are looked up at the service by a whole id that is not known here, and known from then on', async () => {
    answers[accounts.getUinfos.path] = () => ({ uinfos: [{ accid: 'ana', name: 'Ana' }, { accid: 'b' }] })
    const { accounts: list } = await open()
    expect(await list('h', 'Ana', '')).toEqual({
      complete: false,
      accounts: [
        { accid: 'ana', name: 'Ana', blocked: null, online: null },
        { accid: 'b', name: '', blocked: null, online: null },
      ],
    })
    expect(calls).toEqual([{ profileId: 'h', path: accounts.getUinfos.path, args: { accids: ['ana'] } }])
    await list('h', 'ana', '')
    // What is no id, or the rest of a list, is not asked for.
    for (const [search, after] of [
      ['no id!', ''],
      ['', ''],
      ['x'.repeat(33), ''],
      ['zoe', 'ana'],
    ] as const)
      await list('h', search, after)
    expect(calls).toHaveLength(1)
  })
})

describe('accounts of this computer', () => {
  it('are asked of the service with what is searched and where the page begins, 100 at a time', async () => {
    answers[local.accounts.path] = () => ({ ret: { list: [{ accid: 'ana' }] } })
    const { accounts: list } = await open()
    expect(await list('local', '', '')).toEqual({ complete: true, accounts: [{ accid: 'ana' }] })
    await list('local', 'host', 'ana')
    expect(calls.map(({ args }) => args)).toEqual([{ limit: 100 }, { limit: 100, search: 'host', after: 'ana' }])
  })
})

describe('the token of a new account', () => {
  it.each([
    [true, true],
    ['own', true],
    [false, false],
  ] as const)('is kept in the keychain by wish: %s', async (keep, isKept) => {
    const { createAccount, token } = await open()
    expect(await createAccount('h', { accid: 'Ana' }, keep)).toEqual({ accid: 'ana', token: 'made 1' })
    expect(entries()).toEqual(isKept ? [['here:token:h:ana', 'made 1']] : [])
    expect(await token('h', 'ana')).toBe(isKept ? 'made 1' : undefined)
    expect((await openKnownAccounts(place.dir)).of('h')).toMatchObject([
      { accid: 'ana', name: 'Name', signedIn: false, ownToken: keep === 'own' },
    ])
  })

  it('that cannot be kept is a failure of the keychain', async () => {
    const { createAccount } = await open()
    refusesVault = true
    expect((await failureOf(createAccount('h', { accid: 'ana' }, true))).kind).toBe('keychain')
  })
})

describe("the app's own token", () => {
  it('is the kept one; without one a new one is made only where the last was the own one', async () => {
    const { createAccount, ownToken } = await open()
    await createAccount('h', { accid: 'ana' }, 'own')
    await createAccount('h', { accid: 'mei' }, true)
    expect([await ownToken('h', 'ana', false), await ownToken('h', 'mei', false)]).toEqual(['made 1', 'made 2'])
    expect(await ownToken('h', 'mei', true)).toBeUndefined()
    expect(await ownToken('h', 'nobody', false)).toBeUndefined()
    expect(await ownToken('h', 'ana', true)).toBe('new 3')
    expect(held.get('here:token:h:ana')).toBe('new 3')
    held.clear()
    expect(await ownToken('h', 'ana', false)).toBe('new 4')
    expect(await ownToken('h', 'mei', false)).toBeUndefined()
  })

  it('is renewed once for all that ask meanwhile, and is told', async () => {
    const { createAccount, ownToken, onRenewed } = await open()
    await createAccount('h', { accid: 'ana' }, 'own')
    const told: string[][] = []
    const off = onRenewed((...renewed) => void told.push(renewed))
    expect(await Promise.all([ownToken('h', 'ana', true), ownToken('h', 'ana', true)])).toEqual(['new 2', 'new 2'])
    expect(told).toEqual([['h', 'ana', 'new 2']])
    expect(await ownToken('h', 'ana', true)).toBe('new 3')
    off()
    await ownToken('h', 'ana', true)
    expect(told).toHaveLength(2)
  })

  it('is used all the same where the keychain does not keep it', async () => {
    const { createAccount, ownToken } = await open()
    await createAccount('h', { accid: 'ana' }, 'own')
    refusesVault = true
    expect(await ownToken('h', 'ana', true)).toBe('new 2')
    expect(log).toEqual(['a new token was not kept: the keychain is locked'])
  })
})

describe('an account that was signed in when the app ended', () => {
  it('signs in again once when the service runs, and one without a token does not', async () => {
    const first = await open()
    await first.createAccount('local', { accid: 'ana' }, true)
    await first.createAccount('local', { accid: 'mei' }, true)
    await first.createAccount('local', { accid: 'lee' }, true)
    await first.createAccount('local', { accid: 'kim' }, true)
    for (const accid of ['ana', 'mei', 'kim']) await first.signIn('local', accid, undefined, true)
    await first.signIn('local', 'lee', 'given', false)
    await first.signOut('local', 'kim', false)
    first.close()
    held.delete('here:token:local:mei')
    const again = await open()
    expect(await again.sessions('local')).toEqual([])
    again.serviceAt(undefined)
    again.serviceAt(link)
    await until('ana', async () => (await again.sessions('local')).length > 0)
    expect(await again.sessions('local')).toMatchObject([{ accid: 'ana', kept: true }])
    expect(opened).toEqual([link.url])
    await again.signOut('local', 'ana', false)
    again.serviceAt({ ...link, url: 'ws://127.0.0.1:2/link' })
    for (let turn = 0; turn < 20; turn++) await setImmediate()
    expect(await again.sessions('local')).toEqual([])
  })

  it('is left out with a line in the log where the keychain refuses', async () => {
    const first = await open()
    await first.createAccount('local', { accid: 'ana' }, true)
    await first.signIn('local', 'ana', undefined, true)
    first.close()
    refusesVault = true
    const again = await open()
    again.serviceAt(link)
    await until('the line', () => log.length > 0)
    expect(log).toEqual(['an account did not sign in again: the keychain is locked'])
    expect(await again.sessions('local')).toEqual([])
  })
})

it('a token that was typed in is kept by wish, and is no own one of the app', async () => {
  const { createAccount, signIn, ownToken } = await open()
  await createAccount('local', { accid: 'ana' }, 'own')
  expect(await signIn('local', 'ana', 'typed', true)).toMatchObject({ accid: 'ana', kept: true, phase: 'waiting' })
  expect(entries()).toEqual([['here:token:local:ana', 'typed']])
  expect(await ownToken('local', 'ana', true)).toBeUndefined()
  expect(await signIn('local', 'ana', 'once', false)).toMatchObject({ kept: false })
  expect(entries()).toEqual([['here:token:local:ana', 'typed']])
})

it('removing a profile takes its tokens and accounts, also where the keychain refuses one', async () => {
  const { createAccount, forgetProfile } = await open()
  await createAccount('h', { accid: 'ana' }, true)
  await createAccount('other', { accid: 'ana' }, true)
  await forgetProfile('h')
  expect(entries().map(([name]) => name)).toEqual(['here:token:other:ana'])
  expect((await openKnownAccounts(place.dir)).of('h')).toEqual([])
  refusesVault = true
  await forgetProfile('other')
  expect((await openKnownAccounts(place.dir)).of('other')).toEqual([])
})

it('leaving a service takes its tokens and accounts, and fails where the keychain refuses', async () => {
  const { createAccount, leaveService, signIn, serviceAt, sessions, token } = await open()
  await createAccount('local', { accid: 'ana' }, true)
  await createAccount('other', { accid: 'ana' }, true)
  serviceAt(link)
  await signIn('local', 'ana', undefined, true)
  refusesVault = true
  expect((await failureOf(leaveService('local'))).kind).toBe('keychain')
  refusesVault = false
  expect(await sessions('local')).toEqual([])
  await leaveService('local')
  expect(entries().map(([name]) => name)).toEqual(['here:token:other:ana'])
  expect([await token('local', 'ana'), (await openKnownAccounts(place.dir)).of('local')]).toEqual([undefined, []])
})

it('a token that was asked of a service before it was left is not kept for the next', async () => {
  const { createAccount, leaveService, refreshToken, ownToken } = await open()
  await createAccount('local', { accid: 'ana' }, 'own')
  const failures = Promise.all([
    failureOf(ownToken('local', 'ana', true)),
    failureOf(refreshToken('local', 'ana', true)),
    failureOf(createAccount('local', { accid: 'mei' }, true)),
  ])
  await leaveService('local')
  expect((await failures).map(({ kind }) => kind)).toEqual(['absent', 'absent', 'absent'])
  expect([entries(), (await openKnownAccounts(place.dir)).of('local')]).toEqual([[], []])
})

it('uploads a file with its type, and without one where none is named', async () => {
  answers[messages.upload.path] = () => ({ url: 'http://127.0.0.1/files/x' })
  const { upload } = await open()
  expect(await upload('h', 'YQ==', 'png')).toEqual({ url: 'http://127.0.0.1/files/x' })
  await upload('h', 'YQ==', '')
  expect(calls.map(({ args }) => args)).toEqual([{ content: 'YQ==', type: 'png' }, { content: 'YQ==' }])
})

it('tells what is pushed, and keeps requests of teams until they are answered', async () => {
  const { createAccount, signIn, serviceAt, openRequests, ask, sessions, signOut } = await open()
  await createAccount('local', { accid: 'ana' }, true)
  serviceAt(link)
  await signIn('local', 'ana', undefined, true)
  events!.opened()
  await until('ana online', async () => (await sessions('local'))[0]?.phase === 'online')
  const about = { at: 1, tname: '', from: 'mei' }
  for (const push of [
    { t: 'teamInvite', tid: '1', to: ['ana'], ...about },
    { t: 'teamInvite', tid: '2', to: ['ana'], ...about },
    { t: 'teamApply', tid: '1', ...about },
    { t: 'friend', to: 'ana', type: 2, at: 1, from: 'mei' },
  ])
    events!.text(JSON.stringify(push))
  const open4 = () => openRequests().map(({ push }) => push.t)
  expect(pushed.map(([profileId, accid, { t }]) => [profileId, accid, t])).toEqual(
    open4().map((t) => ['local', 'ana', t]),
  )
  expect(open4()).toEqual(['teamInvite', 'teamInvite', 'teamApply', 'friend'])
  await ask('local', 'ana', 'teamAnswer', { tid: '1', accept: true } as never)
  expect(open4()).toEqual(['teamInvite', 'teamApply', 'friend'])
  await ask('local', 'ana', 'teamAnswer', { tid: '1', accid: 'MEI', accept: true } as never)
  expect(open4()).toEqual(['teamInvite', 'friend'])
  await ask('local', 'ana', 'friend', { accid: 'MEI', type: 3 } as never)
  expect(open4()).toEqual(['teamInvite'])
  expect((await failureOf(ask('h', 'ana', 'unread', {}))).kind).toBe('absent')
  expect((await failureOf(signOut('h', 'ana', false))).kind).toBe('absent')
})
