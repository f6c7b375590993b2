import { EventEmitter } from 'node:events'

/** The main process's end of the IPC; questions have one handler each. */
export class IpcMainDouble extends EventEmitter {
  readonly handlers = new Map<string, (event: object, ...args: unknown[]) => unknown>()

  handle(channel: string, handler: (event: object, ...args: unknown[]) => unknown): void {
    if (this.handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`)
    this.handlers.set(channel, handler)
  }
  removeHandler(channel: string): void {
    this.handlers.delete(channel)
  }
  /** Plays a question of a page. */
  async asks(channel: string, event: object, ...args: unknown[]): Promise<unknown> {
    const handler = this.handlers.get(channel)
    if (!handler) throw new Error(`No handler registered for '${channel}'`)
    return await handler(event, ...args)
  }
}

/** The displays of a computer. */
export class ScreenDouble extends EventEmitter {
  /** The displays; the first is the primary one. */
  displays = [{ id: 1, workArea: { x: 0, y: 0, width: 1920, height: 1040 } }]

  getAllDisplays(): typeof this.displays {
    return this.displays
  }
  getPrimaryDisplay(): (typeof this.displays)[number] {
    const [first] = this.displays
    if (!first) throw new Error('no display')
    return first
  }
}
