import process from 'node:process'

/** A share of the process's descriptors; take one per socket and release it once. */
export interface DescriptorShare {
  /** False if none is left. */
  take(): boolean
  give(): void
}

/** Without a readable limit (Windows, where sockets are handles); more than the listeners use. */
const unlimited = 65_536
/** Descriptors reserved: a quarter of the limit, at most this many. */
const maxReserve = 512

interface UserLimits {
  readonly userLimits?: { readonly open_files?: { readonly soft?: number | 'unlimited' } }
}

/** Open files allowed for this process (RLIMIT_NOFILE, which Node raises to the hard limit). */
export function descriptorLimit(): number {
  const soft = (process.report.getReport() as UserLimits).userLimits?.open_files?.soft
  return typeof soft === 'number' ? soft : unlimited
}

/** Divides descriptors for sockets from outside; the guaranteed fractions must not exceed 1 in sum. */
export function createDescriptorBudget(limit: number = descriptorLimit()) {
  const sockets = limit - Math.min(maxReserve, Math.ceil(limit / 4))
  const shares: { readonly kept: number; used: number }[] = []
  return {
    /** Sockets over all shares. */
    sockets,
    /** A share with a guaranteed fraction of the whole. */
    share(fraction: number): DescriptorShare {
      const share = { kept: Math.floor(sockets * fraction), used: 0 }
      shares.push(share)
      return {
        take() {
          let spoken = 0
          for (const each of shares) spoken += each === share ? each.used : Math.max(each.used, each.kept)
          if (spoken >= sockets) return false
          share.used += 1
          return true
        },
        give() {
          share.used -= 1
        },
      }
    },
  }
}
