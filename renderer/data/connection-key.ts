import type { InjectionKey } from 'vue'
import type { Connection } from './connection.ts'

/** For "Connect now" and for signing out. */
export const connectionKey: InjectionKey<Pick<Connection, 'retry' | 'restart'>> = Symbol('connection')
