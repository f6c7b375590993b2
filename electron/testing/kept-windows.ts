import path from 'node:path'
import { jsonFile } from '../../platform/json-file.ts'
import { createPopOuts, type PopOuts } from '../pop-outs.ts'
import { KeptBounds } from '../screen-bounds.ts'
import { KeptPlace, openWindowPlace } from '../window-place.ts'
import { BrowserWindow, control } from './electron-double.ts'

/** The places of the windows of a data folder, as the desktop opens them. A test that uses them puts the double in the place of Electron. */
export async function openWindows(
  folder: string,
  log: (line: string) => void = () => undefined,
): Promise<{ readonly place: Awaited<ReturnType<typeof openWindowPlace>>; readonly rooms: PopOuts }> {
  const rooms = await createPopOuts({
    preload: '/p/preload.cjs',
    platform: 'linux',
    icon: '',
    bounds: jsonFile(path.join(folder, 'pop-out.json'), (raw) => KeptBounds.parse(raw)),
    log,
  })
  const place = await openWindowPlace(
    jsonFile(path.join(folder, 'window.json'), (raw) => KeptPlace.parse(raw)),
    log,
  )
  return { place, rooms }
}

/** Opens the window and one of a room so many px wide, and closes both: their places are kept then. Throws what was logged. */
export async function keepWindows(folder: string, width = 1200): Promise<void> {
  const logged: string[] = []
  control.schemes.set('app', () => Promise.resolve(new Response('<!doctype html>')))
  const { place, rooms } = await openWindows(folder, (line) => void logged.push(line))
  const window = new BrowserWindow({})
  place.follow(window as never)
  window.setBounds({ x: 10, y: 20, width, height: 800 })
  await place.saved()
  await rooms.open({ roomid: 1, profileId: 'local', joined: null })
  BrowserWindow.all
    .find((one) => one !== window && !one.isGone)
    ?.setBounds({ x: 40, y: 50, width: width - 700, height: 600 })
  await rooms.end()
  window.destroy()
  if (logged.length > 0) throw new Error(logged.join('\n'))
}
