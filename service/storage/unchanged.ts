import { AsyncLocalStorage } from 'node:async_hooks'

const unchanged = new WeakSet<Error>()

/** Notes an error of the database as one by which nothing can have been changed. */
export const noteUnchanged = (error: unknown): void => {
  if (error instanceof Error) unchanged.add(error)
}
/** Whether it was noted so. */
export const isUnchanged = (error: Error): boolean => unchanged.has(error)

/** A call, while it runs. */
export interface PresentCall {
  /** Something that it did is stored, or may be. */
  hasStored: boolean
}
const calls = new AsyncLocalStorage<PresentCall>()

/** Runs a call, of which it is known until its end whether something that it did is stored. */
export const asCall = <T>(work: () => T): T => calls.run({ hasStored: false }, work)
/** For writes that are stored together with those of other calls. */
export const presentCall = (): PresentCall | undefined => calls.getStore()
/** Notes that something that the present call did is stored. */
export const noteStored = (): void => {
  const call = presentCall()
  if (call) call.hasStored = true
}
/** Whether something that the present call did is stored. */
export const hasStored = (): boolean => presentCall()?.hasStored ?? false
