import { spawn } from 'node:child_process'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../platform/clock.ts'
import { type Rig, scratch, startRig, until } from '../companion/testing/rig.ts'

vi.mock('electron', () => import('./testing/electron-double.ts'))
const { BrowserWindow, desk } = await import('./testing/electron-double.ts')
const { createDesktopState } = await import('./desktop-state.ts')
const { createDesktopIntegration } = await import('./desktop-integration.ts')
const { systemCapabilities } = await import('./capabilities.ts')
const { openTray } = await import('./tray.ts')

/** Tray, keys and notifications over the real companion and service. */
const folder = scratch()
const icons = path.join(import.meta.dirname, '..', 'resources', 'tray')
const profileId = 'local'
const state = createDesktopState()
const shown: unknown[] = []
let rig: Rig
let opened = 0
let ended = 0
let integration: ReturnType<typeof createDesktopIntegration>
let roomid = 0
let cid = ''

const tray = () => {
  const one = desk.trays.at(-1)
  if (!one) throw new Error('no tray')
  return one
}
const entry = (begin: string) => tray().menu.find(({ label }) => label?.startsWith(begin))
const notice = (title: string) => desk.notices.find(({ options }) => options.title === title)

beforeAll(async () => {
  rig = await startRig(folder.dir, { desktop: state })
  await rig.companion.serviceReady(150_000)
  const { rpc } = rig.page
  await rpc.app.changeSettings({ language: 'en', notices: ['onAir', 'pushLost'] })
  roomid = (await rpc.rooms.create({ profileId, accid: 'host', name: 'Late night', announcement: '' })).roomid
  cid = (await rpc.channels.create({ profileId, name: 'Night_show' })).cid
  integration = createDesktopIntegration({
    attach: (line) => rig.companion.rpc.attach(line),
    capabilities: systemCapabilities('linux', true, 'x11', true),
    platform: 'linux',
    tray: openTray({ icons, platform: 'linux' }, () => undefined),
    icons,
    icon: '',
    state,
    screens: {
      show: (...screen) => shown.push(screen),
      follow: () => undefined,
      ready: () => undefined,
    },
    open: () => {
      opened++
    },
    end: () => {
      ended++
    },
    loginItem: { program: '/opt/sidestage', args: [], autostart: path.join(folder.dir, 'autostart') },
    clock: systemClock,
    log: () => undefined,
  })
})
afterAll(async () => {
  integration.close()
  await rig.close()
  folder[Symbol.dispose]()
})

describe('the app outside its windows', () => {
  it('names what this system can do', () => {
    expect(systemCapabilities('linux', true, 'x11', true)).toEqual([
      'tray',
      'globalKeys',
      'notifications',
      'startAtLogin',
    ])
    expect(systemCapabilities('linux', false, 'wayland', true)).toEqual(['tray', 'notifications'])
    desk.hasNotifications = false
    expect(systemCapabilities('win32', false, undefined, true)).toEqual(['tray', 'globalKeys'])
    // Where no tray came about none is promised.
    expect(systemCapabilities('win32', false, undefined, false)).toEqual(['globalKeys'])
    desk.hasNotifications = true
  })

  it('mutes the open room by the tray, and lifts it by a key from any window; the service knows', async () => {
    const { rpc } = rig.page
    await rpc.rooms.enter({ profileId, roomid, renew: false })
    await until('the room in the menu', () => entry('Mute “Late night”'))
    tray().choose('Mute “Late night”')
    await until('the mute', () => rig.page.newest('room', ({ panel: { muted } }) => muted))
    await until('the menu to follow', () => entry('Lift the mute of “Late night”'))
    expect((await rpc.operations.chatrooms.get({ profileId, call: { roomid } })).chatroom.muted).toBe(true)
    await until('a word about it', () => notice('Room muted'))
    await rpc.app.changeSettings({ globalKeys: { panic: 'F9', show: 'F10' } })
    await until('the key', () => desk.keys.get('F9'))
    desk.keys.get('F9')?.()
    await until('the lift', () => entry('Mute “Late night”'))
    expect((await rpc.operations.chatrooms.get({ profileId, call: { roomid } })).chatroom.muted).toBe(false)
    desk.keys.get('F10')?.()
    expect(opened).toBe(1)
    const [entry1] = await rpc.rooms.actions({ profileId, roomid })
    expect(entry1).toMatchObject({ operator: 'host', what: { kind: 'muteRoom', on: false }, result: 'done' })
  })

  it('tells the page which key is taken', async () => {
    desk.takenKeys.add('F8')
    await rig.page.rpc.app.changeSettings({ globalKeys: { panic: 'F8' } })
    await until('the state', () =>
      rig.page.newest('desktop', ({ desktop }) =>
        desktop.keys.some((key) => key.key === 'F8' && key.state === 'taken'),
      ),
    )
    expect(desk.keys.size).toBe(0)
  })

  it('starts with the session when it is told to, and no longer', async () => {
    expect(state.state().startAtLogin).toBe('off')
    await rig.page.rpc.app.changeSettings({ startAtLogin: true })
    await until('it', () => rig.page.newest('desktop')?.desktop.startAtLogin === 'on')
    await rig.page.rpc.app.changeSettings({ startAtLogin: false })
    await until('the end of it', () => rig.page.newest('desktop')?.desktop.startAtLogin === 'off')
  })

  it('shows a real push: in the tray, in a notification that leads to it, and by staying when the window is closed', async () => {
    const { rpc } = rig.page
    const { server } = await rpc.push.card({ profileId, cid })
    const { key } = await rpc.push.reveal({ profileId, cid })
    expect(path.basename(tray().picture.file)).toBe('idle.png')
    const window = new BrowserWindow({})
    integration.closing.follow(window as never)
    const input = [
      '-f',
      'lavfi',
      '-i',
      'testsrc2=size=320x180:rate=30',
      '-f',
      'lavfi',
      '-i',
      'sine=frequency=440:sample_rate=48000',
    ]
    const output = [
      '-c:v',
      'libx264',
      '-preset',
      'ultrafast',
      '-tune',
      'zerolatency',
      '-g',
      '30',
      '-pix_fmt',
      'yuv420p',
      '-c:a',
      'aac',
      '-f',
      'flv',
    ]
    const encoder = spawn(
      'ffmpeg',
      ['-nostdin', '-loglevel', 'error', '-re', ...input, ...output, `${server}/${key}`],
      { stdio: 'ignore' },
    )
    try {
      await until('the lamp', () => path.basename(tray().picture.file) === 'live.png')
      await until('the name', () => tray().tip === 'Sidestage – ON AIR – Night_show')
      const told = await until('the notification', () => notice('On air'))
      expect(told.options.body).toBe('“Night_show” is on air.')
      told.emit('click')
      expect(shown).toEqual([[`/studio/${cid}`, profileId]])

      window.close()
      expect([window.isGone, window.isHidden]).toEqual([false, true])
      await until('a word about it', () => notice('Sidestage keeps running'))
      tray().choose('Quit')
      await until('the question', () => desk.questions.length === 1)
      expect(ended).toBe(0)

      tray().choose('Record “Night_show”')
      await until('the recording', () => path.basename(tray().picture.file) === 'recording.png')
      expect(rig.page.newest('recording')?.recording.state).not.toBe('off')
      tray().choose('Stop recording “Night_show”')
      await until('its end', () => path.basename(tray().picture.file) === 'live.png')
    } finally {
      // In order: a lost encoder is held for 2 min.
      encoder.kill('SIGINT')
    }
    await until('the end of the push', () => notice('Off air'))
    await until('the lamp', () => path.basename(tray().picture.file) === 'idle.png')
    window.close()
    expect(window.isGone).toBe(true)
    // Nothing that lets somebody in stands in a notification, a menu or a tip.
    const secret = key.split('wsSecret=')[1]?.slice(0, 12) ?? ''
    expect(secret).not.toBe('')
    expect(JSON.stringify([desk.notices.map(({ options }) => options), tray().menu, tray().tip])).not.toContain(secret)
  })

  it('says that the service is gone', async () => {
    process.kill(rig.processes[0]?.pid ?? 0, 'SIGKILL')
    await until('the fault', () => path.basename(tray().picture.file) === 'fault.png')
    await until('its return', () => path.basename(tray().picture.file) === 'idle.png')
  })
})
