import { describe, expect, it } from 'vitest'
import { failed } from '../../testing/memory-client.ts'
import { mounted, settingsWith, type MountOptions } from '../../testing/mounted.ts'
import { globalCommands, noticeKinds, useDesktopSettings } from './desktop-settings.ts'

const show = async (options: MountOptions = {}) => {
  const shown = await mounted(
    { render: () => null },
    { ...options, answers: { 'app.changeSettings': (change) => settingsWith(change), ...options.answers } },
  )
  return { ...shown, desktop: useDesktopSettings(shown.pinia) }
}

describe('keys that work from other windows', () => {
  it('stand in one order, as notifications do', () => {
    expect([globalCommands, noticeKinds]).toEqual([
      ['panic', 'record', 'show'],
      ['onAir', 'pushLost', 'recordingStopped', 'diskLow', 'signInFailed'],
    ])
  })

  it('are none before the settings came, and those of the settings after', async () => {
    const { desktop } = await show({ settings: { globalKeys: { show: 'F9' } } })
    expect(desktop.keys).toEqual({ show: 'F9' })
  })

  it('are changed one by one, and the others stay', async () => {
    const { client, desktop } = await show({ settings: { globalKeys: { show: 'F9', record: 'F8' } } })
    expect(await desktop.bind('record', 'F7')).toBe(true)
    expect(client.inputs('app.changeSettings')).toEqual([{ globalKeys: { show: 'F9', record: 'F7' } }])
    expect(desktop.keys).toEqual({ show: 'F9', record: 'F7' })
  })

  it('are taken away one by one', async () => {
    const { client, desktop } = await show({ settings: { globalKeys: { show: 'F9', record: 'F8' } } })
    expect(await desktop.bind('record', null)).toBe(true)
    expect(client.inputs('app.changeSettings')).toEqual([{ globalKeys: { show: 'F9' } }])
  })

  it('are not given to two commands, but may be given to the same one again', async () => {
    const { client, desktop } = await show({ settings: { globalKeys: { show: 'F9' } } })
    expect(await desktop.bind('record', 'F9')).toBe(false)
    expect(client.inputs('app.changeSettings')).toEqual([])
    expect(await desktop.bind('show', 'F9')).toBe(true)
  })

  it('say that a change could not be kept, and why', async () => {
    const { desktop } = await show({
      settings: { globalKeys: { show: 'F9' } },
      answers: {
        'app.changeSettings': () => {
          throw failed({ kind: 'full' })
        },
      },
    })
    expect(await desktop.bind('record', 'F7')).toBe(false)
    expect([desktop.failure?.kind, desktop.busy, desktop.keys]).toEqual(['full', false, { show: 'F9' }])
  })

  it('have the state that the system gave to the present key, and none of one before', async () => {
    const { desktop, tell } = await show({ settings: { globalKeys: { show: 'F9', record: 'F8' } } })
    expect(desktop.stateOf('show')).toBeNull()
    await tell({
      type: 'desktop',
      desktop: {
        startAtLogin: 'off',
        keys: [
          { command: 'show', key: 'F9', state: 'registered' },
          { command: 'record', key: 'F8', state: 'taken' },
        ],
      },
    })
    expect(globalCommands.map((command) => desktop.stateOf(command))).toEqual([null, 'taken', 'registered'])
    await desktop.bind('show', 'F6')
    expect(desktop.stateOf('show')).toBeNull()
  })

  it.each([
    ['darwin', true],
    ['win32', false],
    ['linux', false],
  ] as const)('are named as on a Mac only there: %s', async (platform, isMac) => {
    const { desktop } = await show({ about: { platform } })
    expect(desktop.isMac).toBe(isMac)
  })
})
