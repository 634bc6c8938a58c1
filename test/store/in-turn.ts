// A store whose calls go to several stores in turn, as requests go to replicas.
import type { Store } from '../../src/store/store.ts'

export function inTurn(stores: [Store, ...Store[]]): Store {
  let calls = 0
  return new Proxy(stores[0], {
    get: (_, name: keyof Store) => {
      if (name === 'close') return () => Promise.all(stores.map(store => store.close()))
      const store = stores[calls++ % stores.length] as Store
      return store[name]
    }
  })
}
