import { contextBridge, ipcRenderer } from 'electron'
import { channels, type WindowCommand } from './channels.ts'

/** Exposes an RPC port, the buttons of the own window, and opening a room window; no object of Electron or Node. */
const ask = (command: WindowCommand) => (): void => {
  ipcRenderer.send(channels.window, command)
}

ipcRenderer.on(channels.port, (event) => {
  // Ports cannot cross the context bridge; a message to this window can transfer them.
  window.postMessage({ type: channels.port }, window.location.origin, [...event.ports])
})

ipcRenderer.on(channels.show, (_event, screen: unknown) => {
  window.postMessage({ type: channels.show, screen }, window.location.origin)
})

contextBridge.exposeInMainWorld('sidestage', {
  shell: 'electron',
  connect: (joined?: unknown): void => ipcRenderer.send(channels.connect, joined),
  minimize: ask('minimize'),
  toggleMaximize: ask('toggleMaximize'),
  close: ask('close'),
  pin: ask('pin'),
  unpin: ask('unpin'),
  shield: ask('shield'),
  unshield: ask('unshield'),
  popOut: (room: unknown): Promise<unknown> => ipcRenderer.invoke(channels.popOut, room),
})
