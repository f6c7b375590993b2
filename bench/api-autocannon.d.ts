/** What bench/api uses of autocannon, which has no types of its own. */
declare module 'autocannon' {
  interface Request {
    readonly method?: string
    readonly path?: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: string
    readonly setupRequest?: (request: Request) => Request
  }
  interface Result {
    readonly requests: { readonly average: number; readonly total: number }
    readonly latency: { readonly p50: number; readonly p99: number }
    readonly errors: number
    readonly non2xx: number
    /** Answers that `verifyBody` refused. */
    readonly mismatches: number
  }
  export default function autocannon(options: {
    readonly url: string
    readonly connections: number
    readonly duration: number
    readonly requests: readonly Request[]
    readonly verifyBody?: (body: string) => boolean
  }): Promise<Result>
}
