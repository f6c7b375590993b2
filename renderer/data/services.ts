import { inject, type InjectionKey } from 'vue'
import type { RpcClient } from './client.ts'

/** What the stores need from the page's root. */
export interface Services {
  /** The present line to the companion; rejects every call while there is none. */
  readonly rpc: RpcClient
  /** Clock in ms since 1970. */
  now(): number
  /** Remembers small choices of this page between visits. */
  readonly memory: { read(key: string): string | null; write(key: string, value: string): void }
}

/** Where the root provides them. */
export const servicesKey: InjectionKey<Services> = Symbol('services')

/** The services of the running page; throws outside of it. */
export function useServices(): Services {
  const services = inject(servicesKey)
  if (!services) throw new Error('the page has no services')
  return services
}
