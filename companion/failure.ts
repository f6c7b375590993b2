import type { FailureData } from '../contract/rpc/index.ts'

/** Why something could not be done (contract/rpc FailureData). Without secrets. */
export class Failure extends Error {
  readonly data: FailureData

  constructor(
    kind: FailureData['kind'],
    detail: string,
    more: Partial<Pick<FailureData, 'leftSeconds' | 'reason'>> & { code?: number; skewSeconds?: number } = {},
  ) {
    super(detail)
    this.name = 'Failure'
    const { code = null, skewSeconds = null, leftSeconds, reason } = more
    this.data = {
      kind,
      code,
      skewSeconds,
      ...(leftSeconds !== undefined && { leftSeconds }),
      ...(reason && { reason }),
      detail: detail.slice(0, 500),
    }
  }
}

/** No answer in time on an open connection. */
export class TimedOut extends Failure {
  constructor(detail: string) {
    super('unreachable', detail)
  }
}

/** The message of anything thrown. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
