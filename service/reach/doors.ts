import type { Server, Socket } from 'node:net'
import { Server as SecureServer } from 'node:tls'
import { listenOn } from '../../platform/listen.ts'
import type { ServerTls } from '../http/listener.ts'

/** A listener to others, as it is wanted. */
export interface WantedDoor {
  readonly name: 'media' | 'rtmp'
  readonly host: string
  readonly port: number
  readonly tls: boolean
  /** Other peers are reset; by default nobody is. */
  readonly only?: ((address: string) => boolean) | undefined
}
/** Why a listener could not be opened. */
export interface DoorFault {
  readonly door: WantedDoor
  readonly reason: 'taken' | 'denied' | 'noAddress' | 'noCertificate'
  readonly detail: string
}
/** Makes the servers of a door, unbound. */
export type DoorServers = Readonly<Record<WantedDoor['name'], (tls?: ServerTls) => Server>>

interface OpenDoor extends WantedDoor {
  readonly server: Server
  readonly sockets: Set<Socket>
  /** The port that it got, where any was wanted. */
  readonly bound: number
}

/** Tells doors apart. */
export const idOf = ({ name, host, port, tls, only }: WantedDoor): string =>
  `${name} ${host} ${port} ${tls} ${only !== undefined}`

function faultOf(door: WantedDoor, error: unknown): DoorFault {
  const { code = '', message = '' } = error as { readonly code?: string; readonly message?: string }
  const reason = code === 'EADDRINUSE' ? 'taken' : code === 'EACCES' ? 'denied' : 'noAddress'
  return { door, reason, detail: message }
}

/** Makes them; none is open yet. */
export function createDoors(servers: DoorServers) {
  const open = new Map<string, OpenDoor>()

  /** Ends it with every connection that came through it. */
  const shut = (door: OpenDoor): Promise<void> => {
    open.delete(idOf(door))
    return new Promise((resolve) => {
      door.server.close(() => resolve())
      for (const socket of door.sockets) socket.destroy()
    })
  }
  const bind = async (wanted: WantedDoor, tls: ServerTls | undefined): Promise<DoorFault | undefined> => {
    const server = servers[wanted.name](wanted.tls ? tls : undefined)
    const sockets = new Set<Socket>()
    const hold = (socket: Socket): void => {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
    }
    // First, so that no limit counts peers that may not be here.
    server.prependListener('connection', (socket: Socket) => {
      if (wanted.only?.(socket.remoteAddress ?? '') === false) socket.resetAndDestroy()
      else hold(socket)
    })
    if (wanted.tls) server.on('secureConnection', hold)
    try {
      const bound = await listenOn(server, wanted.host, wanted.port)
      open.set(idOf(wanted), { ...wanted, server, sockets, bound })
    } catch (error) {
      return faultOf(wanted, error)
    }
    return undefined
  }

  return {
    /** Opens what is wanted and not open, and closes the rest first; answers what could not be opened. */
    async set(wanted: readonly WantedDoor[], tls: ServerTls | undefined): Promise<DoorFault[]> {
      const ids = new Set(wanted.map(idOf))
      await Promise.all([...open].flatMap(([id, door]) => (ids.has(id) && (!door.tls || tls) ? [] : [shut(door)])))
      const faults: DoorFault[] = []
      for (const door of wanted) {
        const present = open.get(idOf(door))
        if (present) {
          if (tls && present.server instanceof SecureServer)
            present.server.setSecureContext({ ...tls, minVersion: 'TLSv1.2' })
          continue
        }
        if (door.tls && !tls) {
          faults.push({ door, reason: 'noCertificate', detail: '' })
          continue
        }
        const fault = await bind(door, tls)
        if (fault) faults.push(fault)
      }
      return faults
    },
    list: (): WantedDoor[] =>
      [...open.values()].map(({ name, host, bound, tls }) => ({ name, host, port: bound, tls })),
    async close() {
      await Promise.all([...open.values()].map(shut))
    },
  }
}
