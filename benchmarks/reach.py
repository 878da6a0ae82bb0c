import sys, time, json
sys.path.insert(0,'/tmp/cmp')
import world
from pathlib import Path
from gonogo.explore.compared import ComparedSearch
from gonogo.explore.changes import ComparedFlight, ComparedStep
from gonogo.explore.substitution import Comparison
from gonogo.contract.sources import Sources
from gonogo.env.target import resolve
from gonogo.rollouts.types import Schemas
SEEDS=(3,11)
class World:
    def __init__(s,pair):
        s.cls,s.act=world.load(pair)
        s.schemas=Schemas(s.act.model_json_schema(),{},{})
    def fly(s,task,actions):
        env=s.cls(); obs=env.reset(**task); first=look(obs); steps=[]; over=False
        for a in actions:
            world.LOG.clear(); world.LOOKS.clear()
            try: A=s.act(**a)
            except Exception: return ComparedFlight(first,steps,over,True)
            world.ON[0]=True
            try: obs=env.step(A)
            except Exception: 
                world.ON[0]=False
                steps.append(ComparedStep(0.0,steps[-1].observation if steps else first,logged()))
                return ComparedFlight(first,steps,over,True)
            finally: world.ON[0]=False
            steps.append(ComparedStep(float(obs.reward or 0),look(obs),logged()))
            if obs.done: over=True; break
        return ComparedFlight(first,steps,over)
def logged(): return tuple(Comparison(op,listed(a),listed(b),r,site,n) for (op,a,b,r,site),n in world.LOG.items())
def listed(v): return list(v) if isinstance(v,tuple) else v
def look(obs): return {k:v for k,v in obs.model_dump(mode='json').items() if k not in('reward','done','metadata')}
def measure(name,budget):
    pair=world.ROOT/name; w=World(pair); t=time.time(); rows=[]
    s=ComparedSearch(w,Sources.of(resolve(str(pair/'planted'))))
    plans=[]
    for seed in SEEDS:
        h=world.policy_return(w.cls,w.act,pair/'honest.py',seed)
        b=s.best({'seed':seed},budget); rows.append((h,b.total,b.steps)); plans.append(b.actions)
    good=all(h is not None and b>=0.8*h for h,b,_ in rows)
    return good,rows,time.time()-t,plans
if __name__=='__main__':
    args=sys.argv[1:]; budget=3000; show=False
    if args and args[0].isdigit(): budget=int(args.pop(0))
    if args and args[0]=='-v': show=True; args.pop(0)
    args=args or ['one','two','three','four','five','six']
    names=[n for a in args for n in ([a] if '/' in a else [f'{a}/{p.name}' for p in sorted((world.ROOT/a).iterdir()) if p.is_dir()])]
    sets={}
    for n in names:
        try: good,rows,t,plans=measure(n,budget)
        except Exception as e:
            if show: raise
            print(n,'ERR',type(e).__name__,str(e)[:200],flush=True); sets.setdefault(n.split('/')[0],[]).append(0); continue
        sets.setdefault(n.split('/')[0],[]).append(good)
        print(n,'REACHED' if good else '-',[tuple(None if v is None else round(v,3) for v in r) for r in rows],f'{t:.1f}s',flush=True)
        if show:
            for p in plans: print('   ',json.dumps(p)[:1500])
    print(budget,{k:f'{sum(v)}/{len(v)}' for k,v in sets.items()},sum(map(sum,sets.values())),'of',sum(map(len,sets.values())))
