import ast, sys, importlib.machinery as M, importlib, json, re, time, inspect
from pathlib import Path
LOG=[]; ON=[False]
OPS={ast.Eq:'==',ast.NotEq:'!=',ast.In:'in',ast.NotIn:'not in',ast.Lt:'<',ast.LtE:'<=',ast.Gt:'>',ast.GtE:'>='}
import operator
FN={'==':operator.eq,'!=':operator.ne,'in':lambda a,b:a in b,'not in':lambda a,b:a not in b,'<':operator.lt,'<=':operator.le,'>':operator.gt,'>=':operator.ge}
def plainval(v,deep=True):
    if isinstance(v,bool) or v is None: return None
    if isinstance(v,str): return v if len(v)<400 else None
    if isinstance(v,(int,float)): return v
    if deep and isinstance(v,(list,tuple,set,frozenset,dict)) or type(v).__name__ in('dict_keys','dict_values'):
        out=[]
        for x in list(v)[:60]:
            p=plainval(x,False)
            if p is not None: out.append(p)
        return out or None
    return None
def cmp(op,a,b,site):
    r=FN[op](a,b)
    if ON[0] and len(LOG)<3000:
        pa,pb=plainval(a),plainval(b)
        if pa is not None and pb is not None:
            try: t=bool(r)
            except Exception: t=None
            LOG.append((site,op,pa,pb,t))
    return r
class T(ast.NodeTransformer):
    def visit_Compare(self,n):
        self.generic_visit(n)
        if len(n.ops)==1 and type(n.ops[0]) in OPS:
            return ast.copy_location(ast.Call(ast.Name('__gg_cmp__',ast.Load()),[ast.Constant(OPS[type(n.ops[0])]),n.left,n.comparators[0],ast.Constant(f'{n.lineno}:{n.col_offset}')],[]),n)
        return n
import builtins; builtins.__gg_cmp__=cmp
old=M.SourceFileLoader.get_code
def get_code(self,name):
    p=self.get_filename(name)
    if '/planted/' in p and '/tests/planted/' in p:
        tree=T().visit(ast.parse(self.get_data(p),p)); ast.fix_missing_locations(tree)
        return compile(tree,p,'exec',dont_inherit=True)
    return old(self,name)
M.SourceFileLoader.get_code=get_code

def load(pair):
    for k in [k for k in sys.modules if k=='planted' or k.startswith('planted.')]: del sys.modules[k]
    sys.path.insert(0,str(pair)); sys.path.insert(0,str(pair/'planted'))
    try:
        envm=None
        for f in sorted((pair/'planted').rglob('*.py')):
            t=f.read_text()
            if 'def step' in t and 'Environment' in t: envm=f
        rel='.'.join(envm.relative_to(pair).with_suffix('').parts)
        m=importlib.import_module(rel)
        models=importlib.import_module('planted.models')
    finally: sys.path[:2]=[]
    cls=[c for c in vars(m).values() if inspect.isclass(c) and c.__module__==m.__name__ and hasattr(c,'step') and hasattr(c,'reset')][-1]
    act=[c for c in vars(models).values() if inspect.isclass(c) and c.__module__==models.__name__ and c.__name__.endswith('Action')][-1]
    return cls,act
NUM=7319
class Run:
    def __init__(s,pair): s.cls,s.act=load(pair); s.steps=0
    def fly(s,seed,actions,log_last=True):
        env=s.cls(); s.steps+=1
        obs=env.reset(seed=seed)
        total=0.0; done=False; logs=[]; last=0
        for i,a in enumerate(actions):
            if done: break
            s.steps+=1
            try: A=s.act(**a)
            except Exception as e: return dict(total=total,done=False,logs=[],invalid=True,last=0,obs=obs)
            LOG.clear(); ON[0]=True
            try: obs=env.step(A)
            except Exception as e: return dict(total=total,done=True,logs=list(LOG),invalid=True,last=0,obs=obs)
            finally: ON[0]=False
            last=float(obs.reward or 0); total+=last; done=bool(obs.done)
        return dict(total=total,done=done,logs=list(LOG),invalid=False,last=last,obs=obs)
def base_actions(act):
    sch=act.model_json_schema(); defs=sch.get('$defs',{}); props=sch['properties']
    fields={}
    for k,p in props.items():
        if k=='metadata': continue
        fields[k]=p
    def opts(p):
        if '$ref' in p: p=defs[p['$ref'].split('/')[-1]]
        if 'anyOf' in p: 
            r=[]
            for q in p['anyOf']: r+=opts(q)
            return r
        if 'enum' in p: return list(p['enum'])
        if 'const' in p: return [p['const']]
        t=p.get('type')
        if t=='boolean': return [True,False]
        if t=='string': return ['zzqx']
        if t=='integer': 
            return [min(max(NUM,p.get('minimum',-10**9)),p.get('maximum',10**9))]
        if t=='number': return [min(max(NUM+.5,p.get('minimum',-1e9)),p.get('maximum',1e9))]
        if t=='array': return [[x] for x in opts(p.get('items',{}))[:1]] or [[]]
        if t=='object': return [{}]
        if t=='null': return []
        return ['zzqx']
    outs=[{}]
    for k,p in fields.items():
        o=opts(p) or [None]
        outs=[{**a,k:v} for a in outs for v in o]
        if len(outs)>200: outs=outs[:200]
    return [{k:v for k,v in a.items() if v is not None} for a in outs], fields
def leaves(a,path=()):
    if isinstance(a,dict):
        for k,v in a.items(): yield from leaves(v,path+(k,))
    elif isinstance(a,list):
        for i,v in enumerate(a): yield from leaves(v,path+(i,))
    else: yield path,a
def put(a,path,v):
    if not path: return v
    c=dict(a) if isinstance(a,dict) else list(a); c[path[0]]=put(a[path[0]],path[1:],v); return c
def subs(action,logs):
    """Candidate actions by input-to-state correspondence."""
    out=[]; seen=set()
    def add(x):
        k=json.dumps(x,sort_keys=True,default=str)
        if k not in seen: seen.add(k); out.append(x)
    lv=list(leaves(action))
    for site,op,l,r,t in logs:
        for x,y,side in ((l,r,'l'),(r,l,'r')):
            if isinstance(x,list):
                # our list or text compared with other container
                continue
            for path,v in lv:
                if v is None or isinstance(v,bool): continue
                ys=y if isinstance(y,list) else [y]
                if isinstance(v,str) and isinstance(x,str) and v:
                    if x.lower().strip()==v.lower().strip():
                        for z in ys:
                            if isinstance(z,(str,int,float)) and str(z)!=v:
                                if op in('in','not in') and side=='r' and isinstance(z,str): add(put(action,path,(v+' '+z) if z not in v else v)); 
                                add(put(action,path,str(z)))
                    elif len(x)>2 and x.lower() in v.lower() and op in('==','!=','in','not in'):
                        for z in ys[:20]:
                            if isinstance(z,(str,int,float)): add(put(action,path,re.sub(re.escape(x),lambda m:str(z),v,flags=re.I)))
                elif isinstance(v,(int,float)) and isinstance(x,(int,float)) and abs(x-v)<1e-9:
                    for z in ys[:40]:
                        if isinstance(z,(int,float)):
                            z2=int(z) if isinstance(v,int) and float(z).is_integer() else z
                            add(put(action,path,z2))
                            if op in '< <= > >=': 
                                add(put(action,path,z2+1)); add(put(action,path,z2-1))
                elif isinstance(v,str) and isinstance(x,(int,float)) and re.search(r'\d',v) is None: pass
        # our whole text on one side of `in`
        if op in('in','not in') and isinstance(l,str) and isinstance(r,str):
            for path,v in lv:
                if isinstance(v,str) and v and r.lower().strip()==v.lower().strip(): add(put(action,path,v+' '+l))
    return out
def solve(run,seed,budget=4000,depth=60):
    bases,_=base_actions(run.act)
    prefix=[]; cur=dict(total=0.0,done=False); start=run.steps; best=(0.0,[])
    seen_true=set()
    idle_moves=0
    for d in range(depth):
        if run.steps-start>budget or cur['done']: break
        tried={}; queue=list(bases); rounds=0; scored=[]
        while queue and rounds<3 and run.steps-start<budget:
            nxt=[]
            for a in queue[:150]:
                k=json.dumps(a,sort_keys=True,default=str)
                if k in tried: continue
                f=run.fly(seed,prefix+[a]); tried[k]=1
                true=frozenset((s,o) for s,o,l,r,t in f['logs'] if (t and o in('==','in')) or (t is False and o in('!=','not in')))
                scored.append((f['total'],len(true-seen_true),not f['invalid'],a,f,true))
                nxt+=subs(a,f['logs'])
                if run.steps-start>budget: break
            queue=nxt; rounds+=1
        if not scored: break
        for s in scored:
            if s[0]>best[0]: best=(s[0],prefix+[s[3]])
        gain=[s for s in scored if s[0]>cur['total']+1e-9]
        if gain: pick=max(gain,key=lambda s:(s[0],s[1]))
        else:
            new=[s for s in scored if s[1]>0 and not s[4]['done'] and s[0]>=cur['total']-0.05*abs(best[0] or 1)-1e-9]
            if not new: break
            pick=max(new,key=lambda s:(s[0],s[1]))
        seen_true|=pick[5]
        prefix=prefix+[pick[3]]; cur=pick[4]
    return best
def policy_return(run,fn,seed):
    ns={}; exec(compile(fn.read_text(),str(fn),'exec'),ns)
    env=run.cls(); obs=env.reset(seed=seed); mem={}; tot=0
    for _ in range(400):
        d=obs.model_dump()
        st=env.state
        d['state']=st.model_dump() if hasattr(st,'model_dump') else {}
        try: a=ns['policy'](d,mem)
        except Exception as e: return None
        obs=env.step(run.act(**a)); tot+=float(obs.reward or 0)
        if obs.done: break
    return tot
if __name__=='__main__':
    root=Path('/work/w/cmps/tests/planted')
    names=sys.argv[1:] or [f'{s}/{p.name}' for s in('one','two','three','four','five','six','seven') for p in sorted((root/s).iterdir()) if p.is_dir()]
    ok=n=0
    for name in names:
        try:
            run=Run(root/name)
            t=time.time(); rows=[]
            for seed in (3,11):
                h=policy_return(run,root/name/'honest.py',seed); x=policy_return(run,root/name/'exploit.py',seed)
                run.steps=0; b=solve(run,seed,3000)
                rows.append((h,x,b[0],run.steps))
            n+=1; good=all(h is not None and b>=0.8*h for h,x,b,s in rows); ok+=good
            print(name,'REACHED' if good else '-',[tuple(None if v is None else round(v,3) for v in r) for r in rows],f'{time.time()-t:.1f}s',flush=True)
        except Exception as e:
            print(name,'ERR',type(e).__name__,str(e)[:150],flush=True)
    print(ok,n)
