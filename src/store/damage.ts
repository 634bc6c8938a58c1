// Damage that any call meets is remembered: what is stored afterwards would be lost once a backup is restored.
import { StoreDamaged, StoreUncertain } from '../errors.ts'

export const IF_DAMAGED = 'stop every server and restore a backup, as src/store/README.md says'

/** @param name what the damaged database is called @param isDamage whether an error of the database, or its cause, says so */
export function watchForDamage(name: string, isDamage: (error: unknown) => boolean) {
  let damage: StoreDamaged | undefined
  return {
    checkSound: () => {
      if (damage) throw damage
    },
    watch: async <T>(call: () => Promise<T>): Promise<T> => {
      try {
        return await call()
      } catch (error) {
        // The database does not know that a text was JSON. The error may quote it, with personal data.
        const isGarbled = error instanceof SyntaxError
        if (!isGarbled && !isDamage(error)) throw error
        damage ??= new StoreDamaged(`${name} is damaged: ${IF_DAMAGED}`, isGarbled ? {} : { cause: error })
        throw error instanceof StoreUncertain ? error : damage
      }
    }
  }
}
