import { inject, type InjectionKey } from 'vue'
import type { RpcClient } from './client.ts'

/** What the stores need from the page. */
export interface Services {
  /** Calls reject while disconnected. */
  readonly rpc: RpcClient
  now(): number
  /** Small choices of this page that outlast a visit. */
  readonly memory: { read(key: string): string | null; write(key: string, value: string): void }
}

/** Key of the page's services. */
export const servicesKey: InjectionKey<Services> = Symbol('services')

/** Throws outside of the page. */
export function useServices(): Services {
  const services = inject(servicesKey)
  if (!services) throw new Error('the page has no services')
  return services
}
