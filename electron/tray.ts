import { Menu, type MenuItemConstructorOptions, type NativeImage, nativeImage, Tray } from 'electron'
import path from 'node:path'
import type { Air, AirChannel, AirRoom } from './on-air-state.ts'
import type { Words } from './words.ts'

/** Where the tray icon comes from. */
interface TrayPlace {
  readonly icons: string
  readonly platform: NodeJS.Platform
}

interface TrayPorts {
  readonly open: () => void
  readonly mute: (room: AirRoom, on: boolean) => void
  readonly record: (channel: AirChannel, on: boolean) => void
  readonly quit: () => void
}

/** Maximum of rooms and channels in the menu. */
const named = 4
const maxName = 40

/** An untrusted name for a menu: one line, short, without accelerator characters. */
function shown(name: string, otherwise: string): string {
  const plain = name
    .replace(/[\p{Cc}\p{Cf}]/gu, '')
    .trim()
    .replaceAll('&', '&&')
  return plain === '' ? otherwise : plain.length > maxName ? `${plain.slice(0, maxName)}…` : plain
}

/** Menu items: the state, then the actions. */
function trayMenu(air: Air, words: Words, ports: TrayPorts): MenuItemConstructorOptions[] {
  const channels = air.channels.slice(0, named)
  const lamp = `${words.lamp[air.lamp]}${air.held ? `, ${words.held}` : ''}`
  const line = [lamp, ...channels.map(({ name }) => shown(name, words.unnamed))].join(' · ')
  const rooms = air.rooms.slice(0, named).map((room): MenuItemConstructorOptions => {
    const name = shown(room.name, String(room.roomid))
    return {
      label: room.muted ? words.lift(name) : words.mute(name),
      click: () => ports.mute(room, !room.muted),
    }
  })
  const recordings = channels.map((channel): MenuItemConstructorOptions => {
    const name = shown(channel.name, words.unnamed)
    return {
      label: channel.recording ? words.stopRecording(name) : words.record(name),
      click: () => ports.record(channel, !channel.recording),
    }
  })
  return [
    { label: line, enabled: false },
    { label: words.open, click: ports.open },
    ...(rooms.length > 0 ? [{ type: 'separator' as const }, ...rooms] : []),
    ...(recordings.length > 0 ? [{ type: 'separator' as const }, ...recordings] : []),
    { type: 'separator' },
    { label: words.quit, click: ports.quit },
  ]
}

function pictureOf({ icons, platform }: TrayPlace, lamp: Air['lamp']): NativeImage {
  const isMac = platform === 'darwin'
  const image = nativeImage.createFromPath(path.join(icons, `${lamp}${isMac ? 'Template' : ''}.png`))
  if (isMac) image.setTemplateImage(true)
  return image
}

/** A tray icon with the idle tally; undefined where the system has no tray. Electron must be ready. */
export function openTray(place: TrayPlace, log: (line: string) => void): Tray | undefined {
  try {
    return new Tray(pictureOf(place, 'idle'))
  } catch (error) {
    log(`there is no tray: ${error instanceof Error ? error.message : String(error)}`)
    return undefined
  }
}

/** Makes a tray icon show the tally. */
export function tallyIn(tray: Tray, place: TrayPlace, ports: TrayPorts) {
  // On macOS a click opens the menu.
  if (place.platform !== 'darwin') tray.on('click', ports.open)
  let told = ''
  return {
    /** Shows the on-air state, as icon and as text. */
    show: (air: Air, words: Words) => {
      const { lamp, channels, rooms } = air
      const about = JSON.stringify([words.open, lamp, channels, rooms])
      if (about === told || tray.isDestroyed()) return
      told = about
      tray.setImage(pictureOf(place, lamp))
      tray.setToolTip(
        ['Sidestage', words.lamp[lamp], ...channels.slice(0, 1).map(({ name }) => shown(name, words.unnamed))]
          .join(' – ')
          .slice(0, 120),
      )
      tray.setContextMenu(Menu.buildFromTemplate(trayMenu(air, words, ports)))
    },
    close: () => {
      if (!tray.isDestroyed()) tray.destroy()
    },
  }
}
