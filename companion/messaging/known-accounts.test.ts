import { readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { scratch } from '../testing/rig.ts'
import { openKnownAccounts } from './known-accounts.ts'

it('keeps accounts by profile over restarts, the last changed first', async () => {
  using folder = scratch()
  const known = await openKnownAccounts(folder.dir)
  await known.note({ profileId: 'h', accid: 'ana', name: 'Ana' })
  await known.note({ profileId: 'h', accid: 'mei', ownToken: true })
  await known.note({ profileId: 'local', accid: 'ana', signedIn: true })
  await known.note({ profileId: 'h', accid: 'ana', signedIn: true })
  const again = await openKnownAccounts(folder.dir)
  expect(again.of('h')).toEqual([
    { profileId: 'h', accid: 'ana', name: 'Ana', signedIn: true, ownToken: false },
    { profileId: 'h', accid: 'mei', name: '', signedIn: false, ownToken: true },
  ])
  expect(again.of('local')).toEqual([{ profileId: 'local', accid: 'ana', name: '', signedIn: true, ownToken: false }])
  await again.forgetProfile('h')
  await again.forgetProfile('nobody')
  const last = await openKnownAccounts(folder.dir)
  expect([last.of('h'), last.of('local').length]).toEqual([[], 1])
})

it('does not move an account to the front for what was known', async () => {
  using folder = scratch()
  const known = await openKnownAccounts(folder.dir)
  await known.note({ profileId: 'h', accid: 'ana', name: 'Ana' })
  await known.note({ profileId: 'h', accid: 'mei' })
  await known.note({ profileId: 'h', accid: 'ana', name: 'Ana' })
  expect(known.of('h').map(({ accid }) => accid)).toEqual(['mei', 'ana'])
})

it('keeps at most 5,000, and reads a file of an earlier version, whose tokens were no own ones', async () => {
  using folder = scratch()
  const accounts = Array.from({ length: 5_000 }, (_, n) => ({
    profileId: 'h',
    accid: `a${n}`,
    name: '',
    signedIn: false,
  }))
  writeFileSync(path.join(folder.dir, 'accounts.json'), JSON.stringify({ version: 1, accounts }))
  const known = await openKnownAccounts(folder.dir)
  expect(known.of('h')[0]).toMatchObject({ accid: 'a0', ownToken: false })
  await known.note({ profileId: 'h', accid: 'new' })
  const all = (await openKnownAccounts(folder.dir)).of('h')
  expect([all.length, all[0]?.accid, all.at(-1)?.accid]).toEqual([5_000, 'new', 'a4998'])
})

it('begins without accounts where the file is damaged, which it puts away', async () => {
  using folder = scratch()
  writeFileSync(path.join(folder.dir, 'accounts.json'), '{"version":1,"accounts":[{"accid":7}]}')
  const known = await openKnownAccounts(folder.dir)
  expect(known.of('h')).toEqual([])
  expect(readdirSync(folder.dir)).toContain('quarantine')
})
