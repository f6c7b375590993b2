import { contextBridge, ipcRenderer } from 'electron'
import { channels, type WindowCommand } from './channels.ts'

/**
 * All that the page gets from the desktop: a port for its RPC, the buttons of its own window, and a window for a room. Which room, and whose
 * computer a port leads to, is all that the page has a say in, and nothing of Electron or Node is handed on.
 */
const ask = (command: WindowCommand) => (): void => {
  ipcRenderer.send(channels.window, command)
}

ipcRenderer.on(channels.port, (event) => {
  // Ports cannot cross the context bridge; a message to this very window can carry them.
  window.postMessage({ type: channels.port }, window.location.origin, [...event.ports])
})

ipcRenderer.on(channels.show, (_event, screen: unknown) => {
  window.postMessage({ type: channels.show, screen }, window.location.origin)
})

contextBridge.exposeInMainWorld('sidestage', {
  shell: 'electron',
  connect: (joined?: unknown): void => {
    ipcRenderer.send(channels.connect, joined)
  },
  minimize: ask('minimize'),
  toggleMaximize: ask('toggleMaximize'),
  close: ask('close'),
  pin: ask('pin'),
  unpin: ask('unpin'),
  shield: ask('shield'),
  unshield: ask('unshield'),
  popOut: (room: unknown): Promise<unknown> => ipcRenderer.invoke(channels.popOut, room),
})
