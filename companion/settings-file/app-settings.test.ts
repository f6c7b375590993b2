import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import type { Settings } from '../../contract/rpc/index.ts'
import { openQuarantine } from '../../platform/quarantine.ts'
import { scratch } from '../testing/rig.ts'
import { openAppSettings, usualSettings } from './app-settings.ts'

it('keeps both of two changes at the same moment, tells of each, and has them after a restart', async () => {
  using folder = scratch()
  const told: Settings[] = []
  const settings = await openAppSettings(folder.dir, (changed) => told.push(changed))
  expect(settings.value()).toEqual(usualSettings)
  await Promise.all([settings.change({ theme: 'light' }), settings.change({ closeToTray: true, theme: undefined })])
  const both = { ...usualSettings, theme: 'light', closeToTray: true }
  expect([settings.value(), told.at(-1), told.length]).toEqual([both, both, 2])
  expect((await openAppSettings(folder.dir, () => undefined)).value()).toEqual(both)
})

it('stores nothing of a change that is no setting, and takes the next one', async () => {
  using folder = scratch()
  const settings = await openAppSettings(folder.dir, () => undefined)
  await expect(settings.change({ theme: 'pink' as 'dark' })).rejects.toThrow()
  expect(settings.value()).toEqual(usualSettings)
  expect(await settings.change({ language: 'en' })).toMatchObject({ theme: 'dark', language: 'en' })
})

it('gives a file of an older version what it lacks', async () => {
  using folder = scratch()
  const file = path.join(folder.dir, 'settings.json')
  await (await openAppSettings(folder.dir, () => undefined)).change({ theme: 'light' })
  const { closeToTray: _, ...older } = JSON.parse(readFileSync(file, 'utf8')) as Settings
  writeFileSync(file, JSON.stringify(older))
  expect((await openAppSettings(folder.dir, () => undefined)).value()).toEqual({ ...usualSettings, theme: 'light' })
})

it('begins dark, in the language of the system, with each notification but that of a channel on air', async () => {
  using folder = scratch()
  expect((await openAppSettings(folder.dir, () => undefined)).value()).toEqual({
    theme: 'dark',
    language: 'system',
    mutePresets: null,
    roomKeys: {},
    recording: { everyPush: true, format: 'mp4', minutes: 60, named: true },
    globalKeys: {},
    notices: ['pushLost', 'recordingStopped', 'diskLow', 'signInFailed'],
    startAtLogin: false,
    closeToTray: false,
  })
})

it('sets a damaged file aside and begins with what is usual', async () => {
  using folder = scratch()
  writeFileSync(path.join(folder.dir, 'settings.json'), JSON.stringify({ theme: 'pink' }))
  expect((await openAppSettings(folder.dir, () => undefined)).value()).toEqual(usualSettings)
  expect(openQuarantine({ folder: folder.dir, now: Date.now }).list()).toMatchObject([{ paths: ['settings.json'] }])
})
