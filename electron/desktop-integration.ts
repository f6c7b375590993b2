import { app, BrowserWindow, globalShortcut, Notification, type Tray } from 'electron'
import { inBackground } from '../companion/background.ts'
import type { Clock } from '../platform/clock.ts'
import type { Line } from '../companion/lines/connection.ts'
import type { Capability, EventFor } from '../contract/rpc/index.ts'
import { createOnAirBoard } from './on-air-state.ts'
import { createClosing } from './quit-guard.ts'
import type { createDesktopState } from './desktop-state.ts'
import { createGlobalKeys } from './global-keys.ts'
import { type LoginItemPorts, setLoginItem } from './login-item.ts'
import { createNotices } from './notices.ts'
import { openOwnLine } from './local-client.ts'
import { createQuickActions } from './quick-actions.ts'
import type { Screens } from './screens.ts'
import { tallyIn } from './tray.ts'
import { wordsOf } from './words.ts'

/** Notifications kept referenced, so that a click still reaches them. */
const maxNotices = 20

/** Creates the integration and follows the companion's events until `close`. */
export function createDesktopIntegration(ports: {
  readonly attach: (line: Line) => { end(): void }
  readonly capabilities: readonly Capability[]
  readonly platform: NodeJS.Platform
  readonly tray: Tray | undefined
  readonly icons: string
  readonly icon: string
  readonly state: ReturnType<typeof createDesktopState>
  readonly screens: Screens
  readonly open: () => void
  readonly end: () => void
  readonly loginItem: Omit<LoginItemPorts, 'app' | 'platform' | 'log'>
  readonly clock: Clock
  readonly log: (line: string) => void
}) {
  const { state, screens, clock, log } = ports
  const air = createOnAirBoard(clock)
  const words = () => wordsOf(air.now().settings?.language, app.getLocale())
  const can = (capability: Capability): boolean => ports.capabilities.includes(capability)
  const shown = new Set<Notification>()

  const say = ([title = '', body = '']: readonly string[], clicked: () => void): void => {
    if (!can('notifications')) return
    const notice = new Notification({ title, body, icon: ports.icon })
    shown.add(notice)
    const [oldest] = shown
    if (shown.size > maxNotices && oldest) shown.delete(oldest)
    notice.on('click', () => {
      shown.delete(notice)
      clicked()
    })
    notice.on('close', () => shown.delete(notice))
    notice.show()
  }
  const notices = createNotices({
    air,
    words,
    clock,
    isLooking: () => BrowserWindow.getFocusedWindow() !== null,
    show: ({ title, body, route, profileId }) => {
      say([title, body], () => screens.show(route, profileId))
    },
  })
  const line = openOwnLine(ports.attach, (event) => hear(event))
  const actions = createQuickActions({
    rpc: line.rpc,
    air: air.now,
    log,
    told: ({ what, about }) => say(words().outcomes[what](about), ports.open),
  })
  const keys = createGlobalKeys({
    shortcuts: globalShortcut,
    clock,
    run: (command) => {
      if (command === 'show') ports.open()
      else if (command === 'panic') inBackground(actions.panic(), log, 'muting every room')
      else inBackground(actions.toggleRecord(), log, 'switching the recording')
    },
    changed: (taken) => state.change({ keys: taken }),
  })
  const tray =
    ports.tray &&
    tallyIn(ports.tray, ports, {
      open: ports.open,
      mute: (room, on) => inBackground(actions.muteRoom(room, on), log, 'muting a room'),
      record: (channel, on) => inBackground(actions.record(channel, on), log, 'switching a recording'),
      quit: () => inBackground(closing.quit(), log, 'asking whether to quit'),
    })
  const closing = createClosing({
    air: air.now,
    words,
    hasTray: tray !== undefined,
    say: (text) => say(text, ports.open),
    end: ports.end,
    log,
  })

  let startsAtLogin: boolean | undefined
  const obey = (): void => {
    const { settings } = air.now()
    if (!settings) return
    if (can('globalKeys')) keys.apply(settings.globalKeys)
    if (can('startAtLogin') && settings.startAtLogin !== startsAtLogin) {
      const isFirst = startsAtLogin === undefined
      startsAtLogin = settings.startAtLogin
      // Another instance may own the entry.
      if (isFirst && !startsAtLogin) return
      state.change({
        startAtLogin: setLoginItem(startsAtLogin, { app, platform: ports.platform, log, ...ports.loginItem }),
      })
    }
  }
  const reading = new Set<string>()
  const readNames = async (profileId: string): Promise<void> => {
    if (reading.has(profileId)) return
    reading.add(profileId)
    try {
      for (const { cid, name } of (await line.rpc.channels.list({ profileId })).channels) air.call(profileId, cid, name)
    } catch {
      // Channels are shown without names until the next event.
    } finally {
      reading.delete(profileId)
    }
    tray?.show(air.now(), words())
  }
  const known = new Set<string>()
  /** Names are read before a channel goes on air: a shown notification cannot be changed. */
  const needsNames = (id: string): boolean => {
    const isNew = !known.has(id)
    known.add(id)
    return isNew || air.now().channels.some(({ profileId, name }) => profileId === id && name === '')
  }
  function hear(event: EventFor<'desktop'>): void {
    const before = air.now()
    air.take(event)
    notices.hear(event, before)
    if (event.type === 'settings') obey()
    if (event.type === 'channels' || (event.type === 'tallies' && event.fault === null && needsNames(event.profileId)))
      inBackground(readNames(event.profileId), log, 'reading the names of channels')
    tray?.show(air.now(), words())
  }

  return {
    closing,
    close: () => {
      line.end()
      keys.close()
      tray?.close()
      shown.clear()
    },
  }
}
