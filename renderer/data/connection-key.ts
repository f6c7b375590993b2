import type { InjectionKey } from 'vue'
import type { Connection } from './connection.ts'

/** Where the root provides the connection, for "Connect now" and for who signs out. */
export const connectionKey: InjectionKey<Pick<Connection, 'retry' | 'restart'>> = Symbol('connection')
