import {
  type IpcMainEvent,
  type IpcMainInvokeEvent,
  BrowserWindow,
  ipcMain,
  MessageChannelMain,
  type WebContents,
} from 'electron'
import type { Line } from '../companion/lines/connection.ts'
import { portLine, type PortLike } from '../companion/lines/lines.ts'
import { z } from 'zod'
import { channels, type PopOutAnswer, windowCommands, type WindowCommand } from './channels.ts'
import { isOurs } from './origin.ts'
import type { PopOuts } from './pop-outs.ts'

/** Whether a message comes from the top frame of the app's origin in a live window. */
function isFromOurPage(event: IpcMainEvent | IpcMainInvokeEvent): boolean {
  const { sender, senderFrame } = event
  if (sender.isDestroyed() || !senderFrame || senderFrame.detached) return false
  return (
    senderFrame === sender.mainFrame &&
    senderFrame.parent === null &&
    isOurs(senderFrame.url) &&
    BrowserWindow.fromWebContents(sender) !== null
  )
}

const isWindowCommand = (command: unknown): command is WindowCommand =>
  (windowCommands as readonly unknown[]).includes(command)

const Joined = z.string().regex(/^[0-9a-f]{16}$/)
/** What a page may say about a window to open: the room and its owner. The URL is built here. */
const RoomPlace = z.strictObject({
  roomid: z.int().min(1),
  profileId: z.string().regex(/^[\w-]{1,64}$/),
  joined: Joined.nullable(),
})

/** Calls back on the first message of a port. */
function hearing(line: Line, first: () => void): Line {
  return {
    ...line,
    onMessage: (listener) => {
      let isFirst = true
      line.onMessage((text) => {
        listener(text)
        if (isFirst) first()
        isFirst = false
      })
    },
  }
}

/** Answers the preload: one RPC port per top frame, closed on navigation, crash and destruction. The returned function
 * closes all of them. */
export function serveIpc(ports: {
  readonly attach: (line: Line) => { end(): void }
  readonly attachJoined: (line: Line, id: string) => { end(): void }
  /** Called on the first message of a page's port. */
  readonly connected: (contents: WebContents) => void
  readonly popOuts: Pick<PopOuts, 'open' | 'has'>
}): () => void {
  const served = new Map<WebContents, { end(): void }>()
  const watched = new WeakSet<WebContents>()
  const end = (contents: WebContents): void => {
    served.get(contents)?.end()
    served.delete(contents)
  }
  const watch = (contents: WebContents): void => {
    if (watched.has(contents)) return
    watched.add(contents)
    contents.on('did-start-navigation', (details) => {
      if (!details.isMainFrame || details.isSameDocument) return
      end(contents)
      // The page that showed a secret has been unloaded.
      BrowserWindow.fromWebContents(contents)?.setContentProtection(false)
    })
    contents.on('render-process-gone', () => end(contents))
    contents.on('destroyed', () => end(contents))
  }
  const connect = (event: IpcMainEvent, asked: unknown): void => {
    const joined = Joined.optional().safeParse(asked)
    if (!isFromOurPage(event) || !joined.success) return
    const { sender, senderFrame } = event
    end(sender)
    watch(sender)
    const { port1, port2 } = new MessageChannelMain()
    const line = hearing(portLine(port1 as unknown as PortLike), () => ports.connected(sender))
    served.set(sender, joined.data === undefined ? ports.attach(line) : ports.attachJoined(line, joined.data))
    senderFrame?.postMessage(channels.port, null, [port2])
  }
  const control = (event: IpcMainEvent, command: unknown): void => {
    if (!isFromOurPage(event) || !isWindowCommand(command)) return
    const window = BrowserWindow.fromWebContents(event.sender)
    if (command === 'minimize') window?.minimize()
    else if (command === 'close') window?.close()
    else if (command === 'shield' || command === 'unshield') window?.setContentProtection(command === 'shield')
    else if (command === 'pin' || command === 'unpin') {
      if (window && ports.popOuts.has(window)) window.setAlwaysOnTop(command === 'pin')
    } else if (window?.isMaximized()) window.unmaximize()
    else window?.maximize()
  }
  const popOut = async (event: IpcMainInvokeEvent, asked: unknown): Promise<PopOutAnswer> => {
    const place = RoomPlace.safeParse(asked)
    return isFromOurPage(event) && place.success ? ports.popOuts.open(place.data) : 'refused'
  }
  ipcMain.on(channels.connect, connect)
  ipcMain.on(channels.window, control)
  ipcMain.handle(channels.popOut, popOut)
  return () => {
    ipcMain.off(channels.connect, connect)
    ipcMain.off(channels.window, control)
    ipcMain.removeHandler(channels.popOut)
    for (const contents of served.keys()) end(contents)
  }
}
