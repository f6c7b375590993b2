import type { FailureData } from '../contract/rpc/index.ts'

/** Why something could not be done, as the interface is told (contract/rpc FailureData). Its detail carries no secrets. */
export class Failure extends Error {
  readonly data: FailureData

  constructor(
    kind: FailureData['kind'],
    detail: string,
    more: { code?: number; skewSeconds?: number; leftSeconds?: number } = {},
  ) {
    super(detail)
    this.name = 'Failure'
    const { code = null, skewSeconds = null, leftSeconds } = more
    this.data = {
      kind,
      code,
      skewSeconds,
      ...(leftSeconds !== undefined && { leftSeconds }),
      detail: detail.slice(0, 500),
    }
  }
}

/** Nothing answered in time, though a connection stood. */
export class TimedOut extends Failure {
  constructor(detail: string) {
    super('unreachable', detail)
  }
}

/** The words of anything thrown. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
